import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { sealTrail } from '../src/audit-events/seal.js'
import type { Schema } from '../src/contract.js'
import type { Database } from '../src/database/schema.js'
import { insertEvents, tamper } from './helpers/events.js'
import { t } from './helpers/file.js'
import { type Member, startService } from './helpers/service.js'
import { until } from './helpers/until.js'

const { call, db, registerAdmin, addMember } = await startService(t)

const verify = ({ token, organization_id }: Member, query: Record<string, string> = {}) =>
  call('verifyAuditTrail', { token, params: { organization_id }, query })
const checkpointOf = async ({ token, organization_id }: Member): Promise<string> => {
  const { body } = await call('createAuditCheckpoint', { token, params: { organization_id } })
  return body.checkpoint
}

/** An organization with twelve sealed events, the ids of which are in the order of the trail. */
async function startTrail() {
  const admin = await registerAdmin()
  const { organization_id } = admin
  const events = Array.from({ length: 10 }, (_, n) => ({
    organization_id,
    conversation_id: `session-${n % 2}`,
    metadata: { n, text: `wörds "quoted", \u2028 and\nlines`, number: 1e21 },
  }))
  await insertEvents(db, events)
  await sealTrail(db, organization_id)
  const seals = await sealsOf(organization_id)
  return { admin, organization_id, ids: seals.map(({ event_id }) => event_id) }
}

const sealsOf = (organization_id: string) =>
  db
    .selectFrom('audit_seals')
    .selectAll()
    .where('organization_id', '=', organization_id)
    .orderBy('sequence')
    .execute()

t.test('Events', async (t) => {
  t.test('are in the chain within two seconds, without any request', async (t) => {
    const admin = await registerAdmin()
    t.match((await verify(admin)).body, { valid: true })
    await until(async () => (await verify(admin)).body.sequence === 2)
    t.match((await verify(admin)).body, { valid: true, events: 2, first_fault: null })
  })

  t.test('are numbered without a gap, however many seal them at once', async (t) => {
    const admin = await registerAdmin()
    const { organization_id } = admin
    for (let round = 0; round < 5; round++) {
      await insertEvents(
        db,
        Array.from({ length: 700 }, () => ({ organization_id })),
      )
      await Promise.all(Array.from({ length: 6 }, () => sealTrail(db, organization_id)))
    }
    const seals = await sealsOf(organization_id)
    t.strictSame(
      seals.map(({ sequence }) => sequence),
      seals.map((_, i) => i + 1),
    )
    t.equal(seals.length, 3502)
    t.match((await verify(admin)).body, { valid: true, events: 3502, sequence: 3502 })
  })

  t.test('are changed or removed by no statement of the service', async (t) => {
    const { organization_id } = await startTrail()
    const ours = (query: string) =>
      sql`${sql.raw(query)} where organization_id = ${organization_id}`
    for (const query of ['update audit_events set status = status', 'delete from audit_events']) {
      await t.rejects(ours(query).execute(db), /never changed/)
    }
  })
})

type Tampering = (trail: Awaited<ReturnType<typeof startTrail>>, trx: Kysely<Database>) => unknown

/** What somebody does who has the database's password, and where that is found. */
const tamperings: Record<string, [Tampering, reason: string, place: number | null]> = {
  'a changed document': [
    ({ ids }, trx) =>
      sql`
      update audit_events set document = replace(document, 'wörds', 'words')
      where _id = ${ids[4]}`.execute(trx),
    'document_changed',
    5,
  ],
  'a document that is no JSON any more': [
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
  'an inserted event': [
    ({ ids }, trx) =>
      sql`
      insert into audit_events select (jsonb_populate_record(e, jsonb_build_object('_id',
        ${randomUUID()}::text))).* from audit_events e where _id = ${ids[5]}`.execute(trx),
    'event_inserted',
    null,
  ],
  'an inserted event that others make room for': [
    async ({ organization_id, ids }, trx) => {
      const seals = sql`audit_seals where organization_id = ${organization_id}`
      await sql`update audit_seals set sequence = sequence + 100
        where organization_id = ${organization_id} and sequence > 5`.execute(trx)
      await sql`insert into audit_seals select organization_id, 6, ${ids[2]}, hash
        from ${seals} and sequence = 5`.execute(trx)
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
      await put(ids[8], 3)
      await put(ids[2], 9)
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
  case_id: `'case'`,
  request_id: `'request'`,
  conversation_id: 'null',
  channel_id: `'channel'`,
  thread_id: `'thread'`,
  metadata: `metadata - 'n'`,
  created_at: `'2026-01-01T00:00:00Z'`,
})) {
  tamperings[`a column ${column} that says something else`] = [
    ({ ids }, trx) =>
      sql`update audit_events set ${sql.ref(column)} = ${sql.raw(value)}
        where _id = ${ids[9]}`.execute(trx),
    'columns_disagree',
    10,
  ]
}

t.test('verifyAuditTrail', async (t) => {
  for (const [what, [change, reason, sequence]] of Object.entries(tamperings)) {
    t.test(`finds ${what}`, async (t) => {
      const trail = await startTrail()
      t.match((await verify(trail.admin)).body, { valid: true, events: 12, first_fault: null })
      await tamper(db, async (trx) => change(trail, trx))
      const { status, body } = await verify(trail.admin)
      t.equal(status, 200)
      const fault: Schema<'AuditFault'> = body.first_fault
      t.match(body, { valid: false, first_fault: { reason, sequence } })
      if (sequence !== null) t.match(body, { events: sequence - 1, sequence: sequence - 1 })
      if (fault.event_id !== null && sequence !== null && reason !== 'document_changed') {
        t.equal(fault.event_id, trail.ids[sequence - 1])
      }
      const other = await startTrail()
      t.match((await verify(other.admin)).body, { valid: true }, 'nobody else is suspected')
    })
  }

  t.test('finds a tail that was cut off, by a checkpoint', async (t) => {
    const { admin, organization_id, ids } = await startTrail()
    const checkpoint = await checkpointOf(admin)
    await sealTrail(db, organization_id)
    t.match((await verify(admin, { checkpoint })).body, { valid: true, events: 13 })
    await tamper(db, async (trx) => {
      await sql`delete from audit_events where organization_id = ${organization_id} and
        _id in (select event_id from audit_seals where organization_id = ${organization_id}
          and sequence > 11)`.execute(trx)
      await sql`delete from audit_seals where organization_id = ${organization_id}
        and sequence > 11`.execute(trx)
    })
    t.match((await verify(admin)).body, { valid: true, events: 11 }, 'it looks sound by itself')
    t.match((await verify(admin, { checkpoint })).body, {
      valid: false,
      first_fault: { sequence: 12, event_id: null, reason: 'trail_cut_off' },
    })
    t.ok(ids.length > 11)
  })

  t.test('finds a trail that was made anew, by a checkpoint', async (t) => {
    const { admin, organization_id, ids } = await startTrail()
    const checkpoint = await checkpointOf(admin)
    await sealTrail(db, organization_id)
    await tamper(db, async (trx) => {
      await sql`update audit_events set status = 'success',
        document = replace(document, '"status":"info"', '"status":"success"')
        where _id = ${ids[4]}`.execute(trx)
      await sql`insert into unsealed_events select organization_id, event_id from audit_seals
        where organization_id = ${organization_id}`.execute(trx)
      await sql`delete from audit_seals where organization_id = ${organization_id}`.execute(trx)
    })
    await sealTrail(db, organization_id)
    t.match((await verify(admin)).body, { valid: true, events: 13 }, 'it is sound by itself')
    t.match((await verify(admin, { checkpoint })).body, {
      valid: false,
      first_fault: { sequence: 12, reason: 'trail_rewritten' },
    })
  })

  t.test('refuses what is no checkpoint of this organization', async (t) => {
    const { admin } = await startTrail()
    const { admin: other } = await startTrail()
    const [header, payload, signature] = (await checkpointOf(admin)).split('.')
    const wrong = [
      'x',
      await checkpointOf(other),
      `${header}.${payload}.${signature?.slice(0, -4)}AAAA`,
      `${header}.${payload}`,
      'x'.repeat(4001),
    ]
    for (const checkpoint of wrong) {
      const { status, body } = await verify(admin, { checkpoint })
      t.equal(status, 422)
      t.strictSame(body.detail[0].loc, ['query', 'checkpoint'])
    }
  })

  t.test('is for admins', async (t) => {
    const { organization_id } = await startTrail()
    t.equal((await verify(await addMember(organization_id, 'hr'))).status, 403)
  })
})
