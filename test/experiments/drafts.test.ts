import { createId } from '../../src/formats/identifiers.js'
import { whileBroken } from '../helpers/broken-table.js'
import { t } from '../helpers/file.js'
import { auditEvents, type Member, startService } from '../helpers/service.js'
import { rowsOf } from '../helpers/walk.js'

const { call, db, registerAdmin, addMember } = await startService(t)
const admin = await registerAdmin()
const { organization_id } = admin

const create = (body: object, { token }: Member = admin) =>
  call('createExperiment', { token, body })
const get = (experiment_id: string, { token }: Member = admin) =>
  call('getExperiment', { token, params: { experiment_id } })
const remove = (experiment_id: string, { token }: Member = admin) =>
  call('deleteExperiment', { token, params: { experiment_id } })
const update = (experiment_id: string, body: object) =>
  call('updateExperiment', { token: admin.token, params: { experiment_id }, body })
const latestEvent = async () => (await auditEvents(call, admin, { category: 'experiment' }))[0]
const unknown = { detail: 'Experiment not found', code: 'experiment_not_found' }

const full = {
  name: 'Weekly check-ins',
  hypothesis: 'They shorten the time to repair.',
  control_session_ids: ['s1', 's2'],
  intervention_session_ids: ['s3'],
  assignment_ids: ['a1'],
  start_at: '2026-12-01T08:00:00.000Z',
  end_at: '2026-12-15T16:00:00.000Z',
  metadata: { outcome_measure: 'minutes' },
}
const empty = {
  hypothesis: null,
  control_session_ids: [],
  intervention_session_ids: [],
  assignment_ids: [],
  start_at: null,
  end_at: null,
  metadata: {},
}

t.test('createExperiment', async (t) => {
  t.test('stores exactly the given fields', async (t) => {
    for (const [given, stored] of [
      [full, full],
      [{ name: 'Bare' }, { ...empty, name: 'Bare' }],
      [
        {
          name: 'Nulls',
          ...Object.fromEntries(Object.keys(empty).map((field) => [field, null])),
          metadata: { nothing: null },
          hypothesis: '',
          organization_id: null,
        },
        { ...empty, name: 'Nulls' },
      ],
      [
        { ...full, control_session_ids: ['b', 'a', 'b'], end_at: '2026-12-15T17:00:00+01:00' },
        { ...full, control_session_ids: ['b', 'a'] },
      ],
      [
        { name: 'Runs', status: 'running', assignment: {} },
        { ...empty, name: 'Runs' },
      ],
    ] as const) {
      const { status, headers, body } = await create(given)
      t.equal(status, 201)
      t.match(headers.get('etag'), /^"[\w-]+"$/)
      const { _id, created_at, updated_at, ...rest } = body
      const made = { organization_id, created_by: admin.user_id, assignment: null }
      t.strictSame(rest, { ...stored, ...made, status: 'draft', warnings: [] })
      t.equal(updated_at, created_at)
      const read = await get(_id)
      t.strictSame(read.body, body)
      t.equal(read.headers.get('etag'), headers.get('etag'))
    }
  })

  t.test('reports the place and the type of every fault', async (t) => {
    const names = Array.from({ length: 1001 }, (_, i) => `s${i}`)
    for (const [fields, loc, type] of [
      [{ name: undefined }, ['name'], 'missing'],
      [{ name: null }, ['name'], 'string_type'],
      [{ name: '' }, ['name'], 'string_too_short'],
      [{ name: 'x'.repeat(201) }, ['name'], 'string_too_long'],
      [{ control_session_ids: names }, ['control_session_ids'], 'too_long'],
      [
        { intervention_session_ids: ['s3', 's1'] },
        ['intervention_session_ids', '1'],
        'in_both_arms',
      ],
      [{ end_at: full.start_at }, ['end_at'], 'end_before_start'],
      [{ start_at: 'soon' }, ['start_at'], 'datetime_parsing'],
      [{ metadata: { text: 'x'.repeat(16_384) } }, ['metadata'], 'too_large'],
    ] as const) {
      const { status, body } = await create({ ...full, ...fields })
      t.equal(status, 422, loc.join())
      t.match(body.detail, [{ loc: ['body', ...loc], type }])
      t.equal(body.detail.length, 1)
    }
    t.match((await create({ hypothesis: 7 })).body.detail, [{ type: 'missing' }, {}])
  })

  t.test('returns the same warnings as an update', async (t) => {
    const { body } = await create({ ...full, control_session_ids: ['s1', 's2', 's4'] })
    t.match(body.warnings, [{ field: 'control_session_ids', value: '3:1' }])
  })

  t.test('records one event with the design', async (t) => {
    const { body } = await create({ name: 'Traced', assignment_ids: ['a1'] })
    const event = await latestEvent()
    t.match(event, { event_type: 'experiment_created', actor_id: admin.user_id, organization_id })
    t.strictSame(event?.metadata, {
      experiment_id: body._id,
      changes: { name: { from: null, to: 'Traced' }, assignment_ids: { from: [], to: ['a1'] } },
    })
  })

  t.test('stores an experiment and its audit event together, or neither of them', async (t) => {
    const before = await rowsOf(db, organization_id)
    for (const [table, when] of [
      ['audit_events', 'at once'],
      ['experiments', 'at commit'],
    ] as const) {
      await whileBroken(db, table, when, async (refused) => {
        const { status } = await create(full)
        t.ok(refused.includes(status), `${status}`)
      })
    }
    t.strictSame(await rowsOf(db, organization_id), before)
  })

  t.test('lets a super_admin draft for any organization, and others for their own', async (t) => {
    const home = await registerAdmin()
    const operator = await addMember(home.organization_id, 'super_admin')
    const { status, body } = await create({ ...full, organization_id }, operator)
    t.equal(status, 201)
    t.match(body, { organization_id, created_by: operator.user_id })
    t.equal((await latestEvent())?.metadata?.cross_tenant, true)
    t.equal((await create({ name: 'Ours', organization_id })).body.organization_id, organization_id)
    const answer = await create({ ...full, organization_id: createId() }, operator)
    t.match(answer, { status: 404, body: { code: 'organization_not_found' } })
  })
})

t.test('getExperiment', async (t) => {
  const { _id } = (await create(full)).body

  t.test('returns the tag of the stored experiment, regardless of its warnings', async (t) => {
    const before = await get(_id)
    const other = (await create({ name: 'Other', control_session_ids: ['s1'] })).body
    t.equal((await get(_id)).headers.get('etag'), before.headers.get('etag'))
    await update(other._id, { status: 'running' })
    const after = await get(_id)
    t.match(after.body.warnings, [{ field: 'control_session_ids', value: 's1' }])
    t.equal(after.headers.get('etag'), before.headers.get('etag'))
  })

  t.test('answers 404 for an unknown id', async (t) => {
    const { status, body } = await get(createId())
    t.strictSame([status, body], [404, unknown])
  })

  t.test('allows a super_admin in every organization', async (t) => {
    const home = await registerAdmin()
    const operator = await addMember(home.organization_id, 'super_admin')
    t.equal((await get(_id, operator)).body.organization_id, organization_id)
  })
})

t.test('deleteExperiment', async (t) => {
  t.test('deletes a draft, and its event shows what it was', async (t) => {
    const { _id } = (await create(full)).body
    const { status, body } = await remove(_id)
    t.strictSame([status, body], [204, ''])
    t.equal((await get(_id)).status, 404)
    t.equal((await remove(_id)).status, 404)
    const event = await latestEvent()
    t.match(event, { event_type: 'experiment_deleted', actor_id: admin.user_id })
    t.strictSame(event?.metadata, {
      experiment_id: _id,
      name: full.name,
      changes: Object.fromEntries(
        Object.entries(full).map(([field, from]) => [
          field,
          { from, to: { ...empty, name: null }[field as keyof typeof full] },
        ]),
      ),
    })
  })

  t.test('refuses anything but a draft', async (t) => {
    for (const current_status of ['scheduled', 'running', 'archived', 'Draft']) {
      const { _id } = (await create(full)).body
      await update(_id, { status: current_status })
      const before = await auditEvents(call, admin)
      const { status, body } = await remove(_id)
      t.equal(status, 409, current_status)
      const detail = 'Only a draft can be deleted'
      t.strictSame(body, { detail, code: 'experiment_not_draft', current_status })
      t.equal((await get(_id)).status, 200)
      t.equal((await auditEvents(call, admin)).length, before.length)
    }
  })

  t.test('deletes nothing when its audit event cannot be stored', async (t) => {
    const { _id } = (await create(full)).body
    await whileBroken(db, 'audit_events', 'at once', async () => {
      t.equal((await remove(_id)).status, 500)
    })
    t.equal((await get(_id)).status, 200)
  })

  t.test('answers 404 for an unknown id', async (t) => {
    const { status, body } = await remove(createId())
    t.strictSame([status, body], [404, unknown])
  })

  t.test('allows a super_admin in every organization', async (t) => {
    const { _id } = (await create(full)).body
    const home = await registerAdmin()
    const operator = await addMember(home.organization_id, 'super_admin')
    t.equal((await remove(_id, operator)).status, 204)
    t.equal((await get(_id)).status, 404)
  })
})
