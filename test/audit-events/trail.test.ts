import { sql } from 'kysely'
import { sealTrail } from '../../src/audit-events/sealing/seal.js'
import type { Schema } from '../../src/contract.js'
import { insertEvents, tamper } from '../helpers/events.js'
import { t } from '../helpers/file.js'
import { type Member, startService } from '../helpers/service.js'
import { trailFaults } from '../helpers/trail-faults.js'
import { until } from '../helpers/until.js'

const { call, db, registerAdmin } = await startService(t)

const verify = ({ token, organization_id }: Member, query: Record<string, string> = {}) =>
  call('verifyAuditTrail', { token, params: { organization_id }, query })
const checkpointOf = async ({ token, organization_id }: Member): Promise<string> => {
  const { body } = await call('createAuditCheckpoint', { token, params: { organization_id } })
  return body.checkpoint
}

/** An organization with twelve sealed events. The ids are in the order of the trail. */
async function startTrail() {
  const admin = await registerAdmin()
  const { organization_id } = admin
  const events = Array.from({ length: 10 }, (_, n) => ({
    organization_id,
    conversation_id: `session-${n % 2}`,
    // A byte order mark is an ordinary character here.
    case_id: '\ufeffcase',
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
  t.test('are sealed without any request', async (t) => {
    const admin = await registerAdmin()
    t.match((await verify(admin)).body, { valid: true })
    await until(async () => (await verify(admin)).body.sequence === 2)
    t.match((await verify(admin)).body, { valid: true, events: 2, first_fault: null })
  })

  t.test('are numbered without a gap when several sealers run concurrently', async (t) => {
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

  t.test('are not changed or removed by any statement of the service', async (t) => {
    const { organization_id } = await startTrail()
    const ours = (query: string) =>
      sql`${sql.raw(query)} where organization_id = ${organization_id}`
    for (const query of ['update audit_events set status = status', 'delete from audit_events']) {
      await t.rejects(ours(query).execute(db), /never changed/)
    }
    const truncate = db.transaction().execute((trx) => sql`truncate audit_events`.execute(trx))
    await t.rejects(truncate, /never changed/)
  })
})

t.test('verifyAuditTrail', async (t) => {
  for (const [what, [change, reason, sequence]] of Object.entries(trailFaults)) {
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
      t.match((await verify(other.admin)).body, { valid: true }, 'no other event is reported')
    })
  }

  t.test('finds by a checkpoint that the end was cut off', async (t) => {
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
    t.match(
      (await verify(admin)).body,
      { valid: true, events: 11 },
      'without the checkpoint it looks valid',
    )
    t.match((await verify(admin, { checkpoint })).body, {
      valid: false,
      first_fault: { sequence: 12, event_id: null, reason: 'trail_cut_off' },
    })
    t.ok(ids.length > 11)
  })

  t.test('finds by a checkpoint that the whole trail was rebuilt', async (t) => {
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
    t.match(
      (await verify(admin)).body,
      { valid: true, events: 13 },
      'without the checkpoint it is valid',
    )
    t.match((await verify(admin, { checkpoint })).body, {
      valid: false,
      first_fault: { sequence: 12, reason: 'trail_rewritten' },
    })
  })

  t.test('refuses anything but a checkpoint of this organization', async (t) => {
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
})
