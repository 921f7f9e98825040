import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { Database } from '../../src/database/schema.js'

/** An audit trail with twelve events. `ids` are in the order of the trail. */
interface Trail {
  organization_id: string
  ids: string[]
}

function insertCopy(trx: Kysely<Database>, of: string | undefined, _id = randomUUID()) {
  return sql`
    insert into audit_events select (jsonb_populate_record(e, jsonb_build_object('_id',
      ${_id}::text))).* from audit_events e where _id = ${of}`.execute(trx)
}

type TrailFault = (trail: Trail, trx: Kysely<Database>) => unknown

/** What someone with the database's password does, and where the fault is found. */
export const trailFaults: Record<string, [TrailFault, reason: string, place: number | null]> = {
  'a changed document': [
    ({ ids }, trx) =>
      sql`
      update audit_events set document = replace(document, 'wörds', 'words')
      where _id = ${ids[4]}`.execute(trx),
    'document_changed',
    5,
  ],
  'a document that is no longer JSON': [
    ({ ids }, trx) =>
      sql`update audit_events set document = 'x' where _id = ${ids[4]}`.execute(trx),
    'document_changed',
    5,
  ],
  'two exchanged documents': [
    async ({ organization_id, ids }, trx) => {
      const { rows } = await sql<{ _id: string; document: string }>`
        select _id, document from audit_events where organization_id = ${organization_id}
          and _id in (${ids[3]}, ${ids[7]})`.execute(trx)
      for (const { _id } of rows) {
        const other = rows.find((row) => row._id !== _id)
        await sql`update audit_events set document = ${other?.document}
          where organization_id = ${organization_id} and _id = ${_id}`.execute(trx)
      }
    },
    'document_changed',
    4,
  ],
  'a deleted event': [
    ({ ids }, trx) => sql`delete from audit_events where _id = ${ids[6]}`.execute(trx),
    'event_deleted',
    7,
  ],
  'the last event deleted': [
    ({ ids }, trx) => sql`delete from audit_events where _id = ${ids.at(-1)}`.execute(trx),
    'event_deleted',
    12,
  ],
  'an event deleted with its number': [
    async ({ ids }, trx) => {
      await sql`delete from audit_events where _id = ${ids[6]}`.execute(trx)
      await sql`delete from audit_seals where event_id = ${ids[6]}`.execute(trx)
    },
    'seal_deleted',
    7,
  ],
  'an inserted event': [({ ids }, trx) => insertCopy(trx, ids[5]), 'event_inserted', null],
  'an inserted event, and a seal with the number 0': [
    async ({ organization_id, ids }, trx) => {
      await insertCopy(trx, ids[5])
      await sql`insert into audit_seals values (${organization_id}, 0, ${randomUUID()}, '')
        `.execute(trx)
    },
    'event_inserted',
    null,
  ],
  'an event deleted before it is in the chain': [
    ({ organization_id }, trx) =>
      sql`insert into unsealed_events values (${organization_id}, ${randomUUID()})`.execute(trx),
    'event_deleted',
    null,
  ],
  'a number far from all others': [
    ({ organization_id, ids }, trx) =>
      sql`update audit_seals set sequence = 9000000000000
        where organization_id = ${organization_id} and event_id = ${ids[7]}`.execute(trx),
    'seal_deleted',
    8,
  ],
  'an inserted event, with later events moved to make room': [
    async ({ organization_id, ids }, trx) => {
      const _id = randomUUID()
      await insertCopy(trx, ids[2], _id)
      await sql`update audit_seals set sequence = sequence + 100
        where organization_id = ${organization_id} and sequence > 5`.execute(trx)
      await sql`insert into audit_seals select organization_id, 6, ${_id}, hash from audit_seals
        where organization_id = ${organization_id} and sequence = 5`.execute(trx)
      await sql`update audit_seals set sequence = sequence - 99
        where organization_id = ${organization_id} and sequence > 100`.execute(trx)
    },
    'document_changed',
    6,
  ],
  'two exchanged numbers': [
    async ({ organization_id, ids }, trx) => {
      const put = (event_id: string | undefined, sequence: number) =>
        sql`update audit_seals set event_id = ${event_id}
          where organization_id = ${organization_id} and sequence = ${sequence}`.execute(trx)
      await put(randomUUID(), 3)
      await put(ids[2], 9)
      await put(ids[8], 3)
    },
    'document_changed',
    3,
  ],
}
for (const [column, value] of Object.entries({
  category: `'auth'`,
  event_type: `'other'`,
  status: `'failure'`,
  actor_type: `'bot'`,
  actor_id: `'somebody'`,
  case_id: `'case-2'`,
  request_id: `'request'`,
  conversation_id: 'null',
  channel_id: `'channel'`,
  thread_id: `'thread'`,
  metadata: `metadata - 'n'`,
  created_at: `'2026-01-01T00:00:00Z'`,
})) {
  trailFaults[`a column ${column} that differs from the document`] = [
    ({ ids }, trx) =>
      sql`update audit_events set ${sql.ref(column)} = ${sql.raw(value)}
        where _id = ${ids[9]}`.execute(trx),
    'columns_disagree',
    10,
  ]
}
