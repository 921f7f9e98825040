import { type Kysely, sql } from 'kysely'
import type { Schema } from '../../src/contract.js'
import { jsonb } from '../../src/database/expressions.js'
import type { Database } from '../../src/database/schema.js'
import { createId } from '../../src/formats/identifiers.js'

type Event = Partial<Schema<'AuditEvent'>> & { organization_id: string }

type Row = ReturnType<typeof eventRow>

/** Stores events as the service records them, but with any `created_at`. */
export async function insertEvents(db: Kysely<Database>, events: Event[]): Promise<Row[]> {
  const rows = events.map(eventRow)
  // A statement has at most 65,535 parameters.
  for (let from = 0; from < rows.length; from += 1_000) {
    await insertRows(db, rows.slice(from, from + 1_000))
  }
  return rows
}

async function insertRows(db: Kysely<Database>, rows: Row[]): Promise<void> {
  await db
    .with('recorded', (db) =>
      db.insertInto('audit_events').values(
        rows.map(({ metadata, updated_at, ...columns }) => ({
          ...columns,
          metadata: jsonb(metadata),
        })),
      ),
    )
    .insertInto('unsealed_events')
    .values(rows.map(({ organization_id, _id }) => ({ organization_id, event_id: _id })))
    .execute()
}

function eventRow(given: Event) {
  const created_at = given.created_at ?? new Date().toISOString()
  const event = {
    _id: createId(),
    category: 'simulation',
    event_type: 'message_sent',
    status: 'info',
    actor_type: null,
    actor_id: null,
    case_id: null,
    request_id: null,
    conversation_id: null,
    channel_id: null,
    thread_id: null,
    metadata: {},
    ...given,
    created_at,
    updated_at: created_at,
  }
  return { ...event, _id: event._id ?? createId(), document: JSON.stringify(event) }
}

/** Changes audit events as only the retention, or someone with the database's password, can. */
export async function tamper<T>(
  db: Kysely<Database>,
  change: (trx: Kysely<Database>) => Promise<T>,
): Promise<T> {
  return db.transaction().execute(async (trx) => {
    await sql`alter table audit_events disable trigger audit_events_append_only`.execute(trx)
    const result = await change(trx)
    await sql`alter table audit_events enable trigger audit_events_append_only`.execute(trx)
    return result
  })
}
