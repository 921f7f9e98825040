import { jsonb } from '../../src/database/expressions.js'
import { createId } from '../../src/formats/identifiers.js'
import { whileBroken } from '../helpers/broken-table.js'
import { operationOf } from '../helpers/contract.js'
import { t } from '../helpers/file.js'
import { auditEvents, type Member, startService } from '../helpers/service.js'
import { objectOf } from '../helpers/walk.js'

const { call, db, registerAdmin, addMember } = await startService(t)
const admin = await registerAdmin()
const { organization_id } = admin

const update = (experiment_id: string, body: object = {}, { token }: Member = admin) =>
  call('updateExperiment', { token, params: { experiment_id }, body })

/** Inserts an experiment. Fields that are left out have the database's defaults. */
async function insertExperiment(fields: { status?: string; control_session_ids?: string[] } = {}) {
  const _id = createId()
  const metadata = jsonb({ cohort: 'spring', room: { floor: 2 } })
  const texts = { name: 'Check-ins', hypothesis: 'Short check-ins help.', setup_id: null }
  await db
    .insertInto('experiments')
    .values({ organization_id, _id, created_by: admin.user_id, ...texts, metadata, ...fields })
    .execute()
  return _id
}

const full = {
  name: 'Weekly check-ins',
  hypothesis: 'They shorten the time to repair.',
  status: 'scheduled',
  control_session_ids: ['s1', 's2'],
  intervention_session_ids: ['s3'],
  assignment_ids: ['a1', 'a2', 'a3'],
  start_at: '2026-12-01T08:00:00.000Z',
  end_at: '2026-12-15T16:00:00.000Z',
}

t.test('updateExperiment', async (t) => {
  t.test('sets every field and answers with the whole experiment', async (t) => {
    const _id = await insertExperiment()
    const { status, body } = await update(_id, { ...full, metadata: { lead: 'Ada' } })
    t.equal(status, 200)
    t.strictSame(body, {
      _id,
      organization_id,
      ...full,
      metadata: { cohort: 'spring', room: { floor: 2 }, lead: 'Ada' },
      warnings: [],
      assignment: null,
      created_by: admin.user_id,
      created_at: body.created_at,
      updated_at: body.updated_at,
    })
    t.ok(body.updated_at >= body.created_at)
    t.strictSame((await update(_id)).body, body, 'and it is stored')
  })

  t.test('keeps what the request leaves out or sends as null', async (t) => {
    const _id = await insertExperiment()
    const { body } = await update(_id, full)
    const nulls = Object.fromEntries(Object.keys(full).map((field) => [field, null]))
    t.strictSame((await update(_id, nulls)).body, body)
    t.strictSame((await update(_id, { metadata: {}, unknown_field: 1 })).body, body)
    for (const field of ['name', 'hypothesis', 'assignment_ids'] as const) {
      const value = field === 'assignment_ids' ? ['a9'] : 'Changed'
      const { body: changed } = await update(_id, { [field]: value })
      const { updated_at } = changed
      t.strictSame(changed, { ...body, [field]: value, updated_at }, `${field} alone`)
      await update(_id, { [field]: full[field] })
    }
  })

  t.test('clears a text with "" and a list with []', async (t) => {
    const _id = await insertExperiment()
    await update(_id, full)
    const lists = { control_session_ids: [], intervention_session_ids: [], assignment_ids: [] }
    const { body } = await update(_id, { name: '', hypothesis: '', ...lists })
    t.match(body, { name: null, hypothesis: null, status: 'scheduled' })
    t.match([body.start_at, body.end_at], [full.start_at, full.end_at])
    for (const list of Object.keys(lists)) t.strictSame(body[list], [], list)
  })

  t.test('removes duplicates from a list and keeps its order', async (t) => {
    const ids = ['b', 'a', 'b', 'B', 'a', 'c']
    for (const field of ['control_session_ids', 'intervention_session_ids', 'assignment_ids']) {
      const { body } = await update(await insertExperiment(), { [field]: ids })
      t.strictSame(body[field], ['b', 'a', 'B', 'c'], field)
    }
  })

  t.test('merges metadata one level deep and removes a key set to null', async (t) => {
    const _id = await insertExperiment()
    const { body } = await update(_id, { metadata: { cohort: null, room: { door: 'b' }, n: [1] } })
    t.strictSame(body.metadata, { room: { door: 'b' }, n: [1] })
    const deeper = await update(_id, { metadata: { n: null, room: { door: null } } })
    t.strictSame(deeper.body.metadata, { room: { door: null } })
  })

  t.test('accepts a time with any offset and answers in UTC', async (t) => {
    const times = [
      ['2026-12-01T09:00:00+01:00', '2026-12-01T08:00:00.000Z'],
      ['2026-12-01T00:30:00.5-05:30', '2026-12-01T06:00:00.500Z'],
      ['2024-02-29T23:59:59.999Z', '2024-02-29T23:59:59.999Z'],
      ['2026-12-01t08:00:00z', '2026-12-01T08:00:00.000Z'],
      ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
      ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ]
    for (const [given = '', expected] of times) {
      const _id = await insertExperiment()
      t.equal((await update(_id, { start_at: given })).body.start_at, expected, given)
      t.equal((await update(_id)).body.start_at, expected, `${given}, read again`)
    }
  })

  t.test('returns the same experiment, and records nothing, when nothing changes', async (t) => {
    const _id = await insertExperiment()
    const { body } = await update(_id, { ...full, metadata: { lead: 'Ada' } })
    const before = await auditEvents(call, admin)
    const again = await update(_id, {
      ...full,
      start_at: '2026-12-01T09:00:00+01:00',
      control_session_ids: ['s1', 's2', 's1'],
      metadata: { lead: 'Ada', nothing: null },
    })
    t.strictSame(again.body, body)
    t.equal((await auditEvents(call, admin)).length, before.length)
  })

  t.test('records one audit event for the fields and one for the status', async (t) => {
    const _id = await insertExperiment()
    const latest = async () => {
      const events = await auditEvents(call, admin, { category: 'experiment' })
      return events.filter(({ metadata }) => metadata?.experiment_id === _id)
    }
    await update(_id, { name: 'Renamed', assignment_ids: ['a1'], metadata: { room: null } })
    const [renamed, ...none] = await latest()
    t.strictSame(none, [])
    t.match(renamed, { event_type: 'experiment_updated', status: 'success', actor_type: 'user' })
    t.match([renamed?.actor_id, renamed?.organization_id], [admin.user_id, organization_id])
    t.strictSame(renamed?.metadata?.changes, {
      name: { from: 'Check-ins', to: 'Renamed' },
      assignment_ids: { from: [], to: ['a1'] },
      metadata: { from: { cohort: 'spring', room: { floor: 2 } }, to: { cohort: 'spring' } },
    })

    await update(_id, { status: 'running' })
    const [started, ...earlier] = await latest()
    t.equal(earlier.length, 1)
    t.equal(started?.event_type, 'experiment_status_changed')
    t.strictSame(started?.metadata?.changes, { status: { from: 'draft', to: 'running' } })

    await update(_id, { status: 'completed', name: 'Both' })
    const both = (await latest()).slice(0, 2)
    const types = both.map(({ category, event_type }) => ({ category, event_type }))
    const promised = objectOf(operationOf('updateExperiment'))['x-audit-events'] ?? []
    const byType = (list: typeof types) => list.map(({ event_type }) => event_type).toSorted()
    t.strictSame(byType(types), byType(promised))
    t.equal((await latest()).length, 4)
  })

  t.test('records no event when it refuses', async (t) => {
    const _id = await insertExperiment({ status: 'archived' })
    const before = await auditEvents(call, admin)
    t.equal((await update(_id, { name: 'New', status: 'running' })).status, 409)
    t.equal((await auditEvents(call, admin)).length, before.length)
    t.equal((await update(_id)).body.name, 'Check-ins')
  })

  t.test('stores a change and its event together, or neither of them', async (t) => {
    const _id = await insertExperiment()
    const { body } = await update(_id)
    const before = await auditEvents(call, admin)
    for (const [table, when] of [
      ['audit_events', 'at once'],
      ['experiments', 'at commit'],
    ] as const) {
      await whileBroken(db, table, when, async (refused) => {
        const answer = await update(_id, { name: 'New', status: 'running' })
        t.ok(refused.includes(answer.status), `${answer.status}`)
        if (answer.status === 500) t.equal(answer.body.code, 'internal_server_error')
      })
      t.strictSame((await update(_id)).body, body)
      t.strictSame(await auditEvents(call, admin), before)
    }
  })

  t.test('stores every change of many concurrent updates', async (t) => {
    const _id = await insertExperiment()
    const keys = Array.from({ length: 10 }, (_, i) => `key${i}`)
    const answers = await Promise.all(keys.map((key) => update(_id, { metadata: { [key]: 1 } })))
    t.ok(answers.every(({ status }) => status === 200))
    const { body } = await update(_id)
    t.strictSame(Object.keys(body.metadata).toSorted(), [...keys, 'cohort', 'room'].toSorted())
  })

  t.test('lets one of two concurrent endings win', async (t) => {
    const _id = await insertExperiment({ status: 'running' })
    const endings = ['completed', 'cancelled']
    const answers = await Promise.all(endings.map((status) => update(_id, { status })))
    t.strictSame(answers.map(({ status }) => status).toSorted(), [200, 409])
    const winner = answers.find(({ status }) => status === 200)
    t.equal((await update(_id)).body.status, winner?.body.status)
  })

  t.test('answers the same 404 for an unknown experiment as for a foreign one', async (t) => {
    const stranger = await registerAdmin()
    const body = { name: 'Mine now' }
    const foreign = await update(await insertExperiment(), body, stranger)
    t.match(foreign, { status: 404, body: { code: 'experiment_not_found' } })
    for (const unknown of ["'; --", 'ß'.repeat(100)]) {
      const answer = await update(unknown, body, stranger)
      t.strictSame([answer.status, answer.body], [404, foreign.body], unknown)
    }
  })

  t.test('allows a super_admin in every organization', async (t) => {
    const _id = await insertExperiment()
    const home = await registerAdmin()
    const operator = await addMember(home.organization_id, 'super_admin')
    const { body } = await update(_id, { name: 'By an operator' }, operator)
    t.match(body, { name: 'By an operator', organization_id })
    const [event] = await auditEvents(call, admin)
    t.equal(event?.actor_id, operator.user_id)
    t.equal(event?.metadata?.cross_tenant, true)
  })
})
