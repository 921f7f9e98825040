import { sql } from 'kysely'
import { jsonObject } from '../database/expressions.js'
import { longestPage } from '../database/lists/lists.js'
import type { Db } from '../database/schema.js'
import { type ParametersOf, prepare } from '../database/statements.js'
import type { StoredMessage } from '../simulation-sessions/engine/message-queries.js'
import type { OfSession } from '../simulation-sessions/queries.js'

/** The columns of a message that the contract shows. */
export const shownColumns = [
  'seq',
  '_id',
  'session_id',
  'conversation_id',
  'channel_id',
  'thread_id',
  'sender_id',
  'sender_kind',
  'injected',
  'content',
  'kind',
  'beat',
  'expectation',
  'artefact',
  'decides',
  'answers',
  'plan_position',
  'client_message_id',
  'offset_ms',
  'posted_at',
] as const
export type ShownMessage = Pick<StoredMessage, (typeof shownColumns)[number]>

interface Posted extends OfSession {
  author_id: string
  client_message_id: string
}

/** The message that an author has posted under this `client_message_id`, if there is one. */
export const selectPosted = prepare(
  'select_posted_message',
  (db, { organization_id, session_id, ...posted }: ParametersOf<Posted>) =>
    db
      .selectFrom('session_messages')
      .select(shownColumns)
      .where('organization_id', '=', organization_id)
      .where('session_id', '=', session_id)
      .where('author_id', '=', posted.author_id)
      .where('client_message_id', '=', posted.client_message_id),
)

/** The first message of a thread, if it is in this conversation. */
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

export interface MessageFilters extends OfSession {
  after: number
  before: number | null
  limit: number
  /** True for the last messages, in descending order; else null. */
  latest: true | null
  conversation_id: string | null
  thread_id: string | null
}

/** In bytes: a message has 10,000 characters at most, and a document of 16 KiB. */
const longestMessage = 57_000

/** The first or the last messages of a session, enough to fill a page and one more. */
export const selectMessages = prepare(
  'select_session_messages',
  (db, filters: ParametersOf<MessageFilters>) => selectPage(db, filters).select(shownColumns),
)

/** The same messages as JSON text with all fields. It costs this process a third of the rows. */
export const selectMessageTexts = prepare(
  'select_session_message_texts',
  (db, filters: ParametersOf<MessageFilters>) =>
    selectPage(db, filters).select(['seq', sql<string>`${messageJson}::text`.as('json')]),
)

// Expectations from before decisions were kept lack the field.
const expectation = sql`'{"decision": null}'::jsonb || session_messages.expectation`
const messageJson = jsonObject('session_messages', shownColumns, { expectation })

/** A thread includes its first message. */
function selectPage(
  db: Db,
  { limit, conversation_id, thread_id, ...values }: ParametersOf<MessageFilters>,
) {
  const { after, before, latest, ...session } = values
  const order = latest === null ? 'asc' : 'desc'
  const next = db
    .selectFrom('session_messages')
    .select(shownColumns)
    .select(
      sql<number>`sum(octet_length(content) + coalesce(octet_length(artefact::text), 0)) over (order by seq ${sql.raw(order)})`.as(
        'bytes',
      ),
    )
    .where('organization_id', '=', session.organization_id)
    .where('session_id', '=', session.session_id)
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
    .selectFrom(next.as('session_messages'))
    .where('bytes', '<=', sql<number>`${sql.lit(longestPage + 2 * longestMessage)}`)
    .orderBy('seq', order)
}
