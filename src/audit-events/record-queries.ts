import { type Expression, sql } from 'kysely'
import { timeOfTransaction } from '../database/expressions.js'
import { prepareRows, type RowsOf } from '../database/row-statements.js'
import type { Db, Trx } from '../database/schema.js'
import { type ParametersOf, prepare } from '../database/statements.js'

/** A row of an event to insert. */
export interface NewEventRow {
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
  /** JSON. */
  metadata: string
  /** The JSON of the document, without its times at the end. */
  beginning: string
}

/** Up to this many rows have a prepared statement for their number. More are sent as one JSON text. */
const maxRowsPrepared = 4

/** Inserts events, and adds them to the queue of events to seal. */
export async function insertAuditEvents(trx: Trx, rows: readonly NewEventRow[]): Promise<void> {
  if (rows.length <= maxRowsPrepared) {
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

const insertFew = prepareRows('insert_audit_events', (db: Db, few: RowsOf<NewEventRow>) =>
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
 * One statement for any number of rows. A list of values would be compiled and planned again for each
 * request. With 500 events, that takes this process three times as long as all other work.
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
