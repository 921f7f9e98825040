import { type Expression, type Kysely, sql, type Transaction } from 'kysely'
import { timeOfTransaction } from '../database/expressions.js'
import { prepareRows, type RowsOf } from '../database/row-statements.js'
import type { Database } from '../database/schema.js'
import { type ParametersOf, prepare } from '../database/statements.js'

/** An event as it is written. */
export interface NewRow {
  _id: string
  organization_id: string
  category: string
  event_type: string
  status: string
  actor_type: string | null
  actor_id: string | null
  case_id: string | null
  request_id: string | null
  conversation_id: string | null
  channel_id: string | null
  thread_id: string | null
  /** As JSON. */
  metadata: string
  /** The document up to its times. */
  beginning: string
}

/** A prepared statement for each number of rows up to here. More rows are sent as one JSON text. */
const mostShapes = 4

/** Writes events, and that they are not in the chain yet. */
export async function insertAuditEvents(
  trx: Transaction<Database>,
  rows: readonly NewRow[],
): Promise<void> {
  if (rows.length <= mostShapes) {
    await insertFew(trx, rows)
    return
  }
  await insertEvents(trx, { rows: JSON.stringify(rows) })
  await insertUnsealed(trx, {
    organization_ids: rows.map(({ organization_id }) => organization_id),
    event_ids: rows.map(({ _id }) => _id),
  })
}

const documentOf = (beginning: Expression<string>) =>
  sql<string>`${beginning}::text || ',"created_at":"' || ${timeOfTransaction}
    || '","updated_at":"' || ${timeOfTransaction} || '"}'`

const insertFew = prepareRows('insert_audit_events', (db: Kysely<Database>, few: RowsOf<NewRow>) =>
  db
    .with('recorded', (db) =>
      db.insertInto('audit_events').values(
        few.map(({ metadata, beginning, ...columns }) => ({
          ...columns,
          metadata: sql<Record<string, unknown>>`${metadata}::jsonb`,
          document: documentOf(beginning),
        })),
      ),
    )
    .insertInto('unsealed_events')
    .values(few.map(({ organization_id, _id }) => ({ organization_id, event_id: _id }))),
)

/**
 * One statement for any number of rows. A list of values would be compiled here and planned there for
 * each request: of 500 events that takes this process three times as long as all else.
 */
const insertEvents = prepare(
  'insert_many_audit_events',
  (_db, { rows }: ParametersOf<{ rows: string }>) => sql`
    insert into audit_events (_id, organization_id, category, event_type, status, actor_type,
      actor_id, case_id, request_id, conversation_id, channel_id, thread_id, metadata, document)
    select _id, organization_id, category, event_type, status, actor_type, actor_id, case_id,
      request_id, conversation_id, channel_id, thread_id, metadata::jsonb,
      ${documentOf(sql<string>`beginning`)}
    from json_to_recordset(${rows}::json) as event(_id uuid, organization_id uuid, category text,
      event_type text, status text, actor_type text, actor_id text, case_id text, request_id text,
      conversation_id text, channel_id text, thread_id text, metadata text, beginning text)`,
)

const insertUnsealed = prepare(
  'insert_unsealed_events',
  (
    _db,
    {
      organization_ids,
      event_ids,
    }: ParametersOf<{ organization_ids: string[]; event_ids: string[] }>,
  ) => sql`
    insert into unsealed_events (organization_id, event_id)
    select * from unnest(${organization_ids}::uuid[], ${event_ids}::uuid[])`,
)
