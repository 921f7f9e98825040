import { sql } from 'kysely'
import { endOfTrail } from '../../src/audit-events/chain/chain-queries.js'
import { checkpointAt } from '../../src/audit-events/chain/checkpoint.js'
import { exportTrail } from '../../src/audit-events/export/export-trail.js'
import { readFilters } from '../../src/audit-events/queries.js'
import { keepPruning, pruneTrails } from '../../src/audit-events/retention.js'
import { sealTrail } from '../../src/audit-events/sealing/seal.js'
import { insertEvents } from '../helpers/events.js'
import { t } from '../helpers/file.js'
import { auditEvents, type Member, startService } from '../helpers/service.js'
import { until } from '../helpers/until.js'

const { app, call, db, registerAdmin, addOrganization } = await startService(t)

const get = ({ token, organization_id }: Member) =>
  call('getAuditRetention', { token, params: { organization_id } })
const put = ({ token, organization_id }: Member, body: unknown) =>
  call('updateAuditRetention', { token, params: { organization_id }, body })
const verify = async ({ token, organization_id }: Member, query: Record<string, string> = {}) =>
  (await call('verifyAuditTrail', { token, params: { organization_id }, query })).body
const exportOf = async ({ token, organization_id }: Member): Promise<string> =>
  (await call('exportAuditEvents', { token, params: { organization_id } })).body

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()

/** An organization whose trail starts with the given numbers of events of the given ages. */
async function startOldTrail(ages: [days: number, events: number][]) {
  const admin = await addOrganization()
  const { organization_id } = admin
  for (const [days, length] of ages) {
    const created_at = daysAgo(days)
    await insertEvents(
      db,
      Array.from({ length }, () => ({ organization_id, created_at })),
    )
    await sealTrail(db, organization_id)
  }
  return admin
}

async function prune({ organization_id }: Member): Promise<number> {
  let events = 0
  for await (const one of pruneTrails(db)) {
    if (one.organization_id === organization_id) events += one.events
  }
  await sealTrail(db, organization_id)
  return events
}

/** Makes the database refuse to prune one organization, until the returned function is called. */
async function refusePruning({ organization_id }: Member): Promise<() => Promise<void>> {
  await sql`create function refuse_pruning() returns trigger language plpgsql
    as ${sql.lit(`begin
      if new.organization_id = '${organization_id}' then raise 'it cannot be pruned'; end if;
      return new;
    end`)}`.execute(db)
  await sql`create trigger refuse_pruning before update on audit_retentions
    for each row execute function refuse_pruning()`.execute(db)
  return async () => {
    await sql`drop trigger refuse_pruning on audit_retentions`.execute(db)
    await sql`drop function refuse_pruning`.execute(db)
  }
}

t.test('getAuditRetention', async (t) => {
  t.test('is one year by default', async (t) => {
    const admin = await registerAdmin()
    const { organization_id } = admin
    t.strictSame((await get(admin)).body, { organization_id, days: 365 })
  })
})

t.test('updateAuditRetention', async (t) => {
  t.test('changes the retention, and records the old and the new value', async (t) => {
    const admin = await registerAdmin()
    const { organization_id } = admin
    t.strictSame((await put(admin, { days: 30 })).body, { organization_id, days: 30 })
    t.strictSame((await put(admin, { days: 2555 })).body, { organization_id, days: 2555 })
    t.strictSame((await get(admin)).body, { organization_id, days: 2555 })
    const events = await auditEvents(call, admin, { event_type: 'audit_retention_updated' })
    t.strictSame(
      events.map(({ metadata }) => metadata),
      [{ changes: { days: { from: 30, to: 2555 } } }, { changes: { days: { from: 365, to: 30 } } }],
    )
  })

  t.test('records nothing when nothing changes', async (t) => {
    const admin = await registerAdmin()
    t.equal((await put(admin, { days: 365 })).status, 200)
    t.strictSame(await auditEvents(call, admin, { category: 'audit' }), [])
  })

  t.test('refuses a value that is out of bounds or not a number', async (t) => {
    const admin = await registerAdmin()
    for (const days of [29, 2556, 30.5, '30', null, undefined]) {
      const { status, body } = await put(admin, { days })
      t.equal(status, 422, `${days}`)
      t.strictSame(body.detail[0].loc, ['body', 'days'])
    }
    t.equal((await get(admin)).body.days, 365)
  })
})

t.test('Pruning', async (t) => {
  t.test('keeps an old event that follows events from today', async (t) => {
    const admin = await registerAdmin()
    const { organization_id } = admin
    const created_at = daysAgo(400)
    const old = await insertEvents(db, [{ organization_id, created_at }])
    t.equal(await prune(admin), 0, 'unsealed events and later ones are not removed')
    t.equal((await verify(admin)).valid, true)
    t.equal(await prune(admin), 0, 'the first event is from today')
    const listed = await auditEvents(call, admin)
    t.ok(listed.some(({ _id }) => _id === old[0]?._id))
  })

  t.test('runs in several batches and leaves a trail that can be verified', async (t) => {
    const admin = await startOldTrail([
      [400, 5_003],
      [100, 20],
    ])
    t.equal(await prune(admin), 5_003)
    t.match(await verify(admin), { valid: true, events: 22, sequence: 5_025 })
    const events = await auditEvents(call, admin, { category: 'audit' })
    t.strictSame(
      events.map(({ actor_type, metadata }) => [actor_type, metadata?.from, metadata?.to]),
      [
        ['system', 5_001, 5_003],
        ['system', 1, 5_000],
      ],
    )
    t.match(events[0]?.metadata, { events: 3, days: 365, hash: /^[0-9a-f]{64}$/ })
    t.equal(await prune(admin), 0, 'a second run removes nothing')
    await put(admin, { days: 90 })
    t.equal(await prune(admin), 20)
    t.match(await verify(admin), { valid: true })
  })

  t.test('leaves checkpoints valid, and exports the other events unchanged', async (t) => {
    const admin = await startOldTrail([
      [400, 10],
      [100, 10],
    ])
    const { token, organization_id } = admin
    const checkpoint = async (): Promise<string> =>
      (await call('createAuditCheckpoint', { token, params: { organization_id } })).body.checkpoint
    const linesOf = async () => (await exportOf(admin)).trimEnd().split('\n')
    const before = await linesOf()
    const signed = await checkpoint()
    t.equal(await prune(admin), 10)
    t.match(await verify(admin, { checkpoint: signed }), { valid: true })
    const after = await linesOf()
    t.strictSame(after.slice(0, 10), before.slice(10, 20))
    const end = JSON.parse(after.at(-1) ?? '')
    t.match(end, { pruned: { sequence: 10 }, count: end.sequence - 10 })
  })

  t.test('cuts off a running export', async (t) => {
    const { organization_id, ...admin } = await startOldTrail([[400, 10]])
    const selection = { organization_id, filters: readFilters({}) }
    const pieces = await exportTrail(db, (fetch) => fetch(), selection, 'ndjson')
    t.equal(await prune({ ...admin, organization_id }), 10)
    const read = async () => {
      for await (const piece of pieces) t.notMatch(piece, '"end":true')
    }
    await t.rejects(read(), /Events of the export are missing/)
  })

  t.test('invalidates checkpoints before the new start of the trail', async (t) => {
    const admin = await startOldTrail([[400, 5]])
    const { organization_id, token } = admin
    const signed = checkpointAt(organization_id, await endOfTrail(db, organization_id))
    const checkpoint = await app.auditKeys.sign(signed)
    await insertEvents(db, [{ organization_id, created_at: daysAgo(400) }])
    await sealTrail(db, organization_id)
    t.match(await verify(admin, { checkpoint }), { valid: true, events: 6 })
    t.equal(await prune(admin), 6)
    const answer = await call('verifyAuditTrail', {
      token,
      params: { organization_id },
      query: { checkpoint },
    })
    t.equal(answer.status, 422)
    t.match(answer.body.detail, [
      { loc: ['query', 'checkpoint'], msg: /older than the events that retention/ },
    ])
  })

  t.test('runs every day in the background, starting soon after the service does', async (t) => {
    const admin = await startOldTrail([[400, 3]])
    const pruning = keepPruning(db, { info() {}, warn() {} }, 0)
    pruning.start()
    const hasPruned = async () =>
      (await auditEvents(call, admin, { event_type: 'audit_pruned' })).length > 0
    await until(hasPruned)
    await pruning.stop()
    await sealTrail(db, admin.organization_id)
    t.match(await verify(admin), { valid: true, events: 1 })
  })

  t.test('continues with the next organization when one cannot be pruned', async (t) => {
    // Either organization may be pruned first, so each one is refused once.
    for (const isFirst of [true, false]) {
      const one = await startOldTrail([[400, 3]])
      const other = await startOldTrail([[400, 3]])
      const [refused, fine] = isFirst ? [one, other] : [other, one]
      const allow = await refusePruning(refused)
      await t.rejects(prune(fine), /cannot be pruned/)
      await allow()
      await sealTrail(db, fine.organization_id)
      t.equal((await auditEvents(call, fine, { event_type: 'audit_pruned' })).length, 1)
      t.match(await verify(fine), { valid: true })
    }
  })

  t.test('removes each event once when several processes run it concurrently', async (t) => {
    const admin = await startOldTrail([[400, 50]])
    const removed = await Promise.all(Array.from({ length: 4 }, () => prune(admin)))
    t.equal(
      removed.reduce((sum, one) => sum + one),
      50,
    )
    t.match(await verify(admin), { valid: true })
    t.equal((await auditEvents(call, admin, { event_type: 'audit_pruned' })).length, 1)
  })
})
