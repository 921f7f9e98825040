import type { Kysely, Selectable, Transaction } from 'kysely'
import { sql } from 'kysely'
import type { Schema } from '../contract.js'
import { batchesOf } from '../database/batches.js'
import type { Database } from '../database/schema.js'
import { type ParametersOf, prepare } from '../database/statements.js'
import type { OfSession } from './queries.js'

type Db = Kysely<Database>
type Trx = Transaction<Database>
type Table = Database['session_messages']
export type StoredMessage = Selectable<Table>

/** Adds messages to a session whose row is locked, so that `seq` is in the order of commits. */
export async function insertMessages(trx: Trx, messages: StoredMessage[]): Promise<void> {
  const rows = messages.map(({ expectation, ...message }) => {
    return { ...message, expectation: expectation && JSON.stringify(expectation) }
  })
  const [first, ...others] = rows
  if (first && others.length === 0) await insertMessage(trx, first)
  else for (const batch of batchesOf(rows)) await insertRows(trx, batch).execute()
}

type Row = Omit<StoredMessage, 'expectation'> & { expectation: string | null }

const insertMessage = prepare('insert_session_message', (db, row: ParametersOf<Row>) =>
  insertRows(db, [row]),
)

function insertRows(db: Db, rows: (Row | ParametersOf<Row>)[]) {
  return db.insertInto('session_messages').values(
    rows.map(({ expectation, ...row }) => ({
      ...row,
      expectation: expectation === null ? null : sql<Schema<'Expectation'>>`${expectation}::jsonb`,
    })),
  )
}

/** What somebody has posted under an id of their own. */
export function selectMessageByClientId(
  db: Db,
  { organization_id, session_id }: OfSession,
  { author_id, client_message_id }: { author_id: string; client_message_id: string },
): Promise<StoredMessage | undefined> {
  return db
    .selectFrom('session_messages')
    .selectAll()
    .where('organization_id', '=', organization_id)
    .where('session_id', '=', session_id)
    .where('author_id', '=', author_id)
    .where('client_message_id', '=', client_message_id)
    .executeTakeFirst()
}

/** The first message of a thread, in the conversation where it has to be. */
export function selectThreadRoot(
  db: Db,
  { organization_id, session_id }: OfSession,
  { _id, conversation_id }: Pick<StoredMessage, '_id' | 'conversation_id'>,
): Promise<StoredMessage | undefined> {
  return db
    .selectFrom('session_messages')
    .selectAll()
    .where('organization_id', '=', organization_id)
    .where('session_id', '=', session_id)
    .where('_id', '=', _id)
    .where('conversation_id', '=', conversation_id)
    .where('thread_id', 'is', null)
    .executeTakeFirst()
}

interface MessageFilters extends OfSession {
  after: number
  before: number | null
  limit: number
  /** True for the last messages, which come in descending order then; else null. */
  latest: true | null
  conversation_id: string | null
  thread_id: string | null
}

/** After how many bytes a page of messages ends, even where it has fewer than the limit. */
export const pageBytes = 1_048_576
/** A message has 10,000 characters at most. */
const longestMessage = 40_000

/**
 * The first or the last messages of a session, those of one thread with its first one: as many as
 * fill a page, and one more.
 */
export const selectMessages = prepare(
  'select_session_messages',
  (db, { limit, conversation_id, thread_id, ...values }: ParametersOf<MessageFilters>) => {
    const { after, before, latest, ...place } = values
    const order = latest === null ? 'asc' : 'desc'
    const next = db
      .selectFrom('session_messages')
      .selectAll()
      .select(
        sql<number>`sum(octet_length(content)) over (order by seq ${sql.raw(order)})`.as('bytes'),
      )
      .where('organization_id', '=', place.organization_id)
      .where('session_id', '=', place.session_id)
      .where('seq', '>', after)
      .$if(before !== null, (query) => query.where(sql<boolean>`seq < ${before}`))
      .$if(conversation_id !== null, (query) =>
        query.where(sql<boolean>`conversation_id = ${conversation_id}`),
      )
      .$if(thread_id !== null, (query) =>
        query.where(sql<boolean>`(thread_id = ${thread_id} or _id = ${thread_id})`),
      )
      .orderBy('seq', order)
      .limit(limit)
    return db
      .selectFrom(next.as('next'))
      .selectAll()
      .where('bytes', '<=', sql<number>`${sql.lit(pageBytes + 2 * longestMessage)}`)
      .orderBy('seq', order)
  },
)
