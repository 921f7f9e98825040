import { createId } from '../../src/formats/identifiers.js'
import { whileBroken } from '../helpers/broken-table.js'
import { t } from '../helpers/file.js'
import { auditEvents, type Member, startService } from '../helpers/service.js'

const { call, db, registerAdmin, addMember } = await startService(t)
const admin = await registerAdmin()
const { organization_id } = admin

const assign = (experiment_id: string, body: object, { token }: Member = admin) =>
  call('assignSessions', { token, params: { experiment_id }, body })
const update = (experiment_id: string, body: object = {}) =>
  call('updateExperiment', { token: admin.token, params: { experiment_id }, body })

async function draft(fields: object = {}): Promise<string> {
  const body = { name: 'Draft', ...fields }
  return (await call('createExperiment', { token: admin.token, body })).body._id
}

const control = 'control_session_ids'
const intervention = 'intervention_session_ids'
const sessions = (count: number) => Array.from({ length: count }, (_, i) => `session ${i}`)
const four = { session_ids: sessions(4), seed: 'first' }

t.test('assignSessions', async (t) => {
  t.test('fills both arms, and shows the assignment', async (t) => {
    const _id = await draft({ [control]: ['old'], [intervention]: ['older'] })
    const { status, headers, body } = await assign(_id, four, admin)
    t.equal(status, 200)
    t.strictSame([...body[control], ...body[intervention]].sort(), sessions(4))
    t.equal(body[control].length, 2)
    const { assigned_at, ...assignment } = body.assignment
    t.strictSame(assignment, {
      algorithm: 'permuted_block_randomization',
      seed: 'first',
      blocks: [{ name: null, session_ids: sessions(4) }],
      assigned_by: admin.user_id,
    })
    t.ok(Math.abs(Date.parse(assigned_at) - Date.now()) < 60_000)
    const read = await call('getExperiment', { token: admin.token, params: { experiment_id: _id } })
    t.strictSame(read.body, body)
    t.equal(read.headers.get('etag'), headers.get('etag'))
  })

  t.test('records both arms and the assignment, before and after', async (t) => {
    const _id = await draft({ [control]: ['old'] })
    const { body } = await assign(_id, four)
    const [event] = await auditEvents(call, admin, { category: 'experiment' })
    t.match(event, { event_type: 'sessions_assigned', actor_id: admin.user_id, organization_id })
    t.strictSame(event?.metadata, {
      experiment_id: _id,
      changes: {
        [control]: { from: ['old'], to: body[control] },
        [intervention]: { from: [], to: body[intervention] },
        assignment: { from: null, to: body.assignment },
      },
    })
  })

  t.test('changes and records nothing when it is repeated', async (t) => {
    const _id = await draft()
    const blocks = [
      { name: 'b', session_ids: ['session 3', 'session 1'] },
      { name: 'a', session_ids: ['session 0'] },
    ]
    const { body } = await assign(_id, { ...four, blocks })
    const count = (await auditEvents(call, admin)).length
    const reordered = { ...four, session_ids: sessions(4).reverse(), blocks: blocks.toReversed() }
    t.strictSame((await assign(_id, reordered)).body, body)
    t.strictSame(
      (await assign(_id, reordered, await addMember(organization_id, 'admin'))).body,
      body,
    )
    t.equal((await auditEvents(call, admin)).length, count)
    const { body: other } = await assign(_id, four)
    t.notSame(other.assignment, body.assignment)
    t.equal((await auditEvents(call, admin)).length, count + 1)
  })

  t.test('makes a new seed each time when none is given', async (t) => {
    const _id = await draft()
    const seeds = []
    for (const seed of [undefined, null, undefined]) {
      seeds.push((await assign(_id, { ...four, seed })).body.assignment.seed)
    }
    for (const seed of seeds) t.match(seed, /^[0-9a-f]{32}$/)
    t.equal(new Set(seeds).size, 3)
    const { body } = await assign(_id, { ...four, seed: seeds[0] })
    t.equal(body.assignment.seed, seeds[0], 'a caller can send it again')
  })

  t.test('accepts 2 to 2,000 sessions, with or without blocks', async (t) => {
    const session_ids = Array.from({ length: 2000 }, () => createId())
    const pairs = Array.from({ length: 1000 }, (_, i) => ({
      ...{ name: createId(), session_ids: session_ids.slice(2 * i, 2 * i + 2) },
    }))
    const { body } = await assign(await draft(), { session_ids, blocks: pairs })
    t.strictSame([body[control].length, body[intervention].length], [1000, 1000])
    const names = sessions(1000)
    const blocks = names.map((name) => ({ name, session_ids: [name] }))
    const answer = await assign(await draft(), { session_ids: names, blocks })
    t.strictSame([answer.body[control].length, answer.body[intervention].length], [500, 500])
    t.equal((await assign(await draft(), { session_ids: ['a', 'b'], blocks: [] })).status, 200)
  })

  t.test('reports the place of every invalid session and block', async (t) => {
    const _id = await draft()
    const b = (name: unknown, ...session_ids: unknown[]) => ({ name, session_ids })
    const ids = ['a', 'b', 'c']
    const long = sessions(1000).map((one) => one.padEnd(128, '\u00e9'))
    for (const [body, ...places] of [
      [{}, 'session_ids'],
      [{ session_ids: ['a'] }, 'session_ids'],
      [{ session_ids: sessions(2001) }, 'session_ids'],
      [{ session_ids: long }, 'session_ids'],
      [{ session_ids: ids, blocks: long.map((name) => b(name, 'a')) }, 'blocks'],
      [{ session_ids: ['a', 'b', 'a', 'c', 'a'] }, 'session_ids,2', 'session_ids,4'],
      [{ session_ids: ['a', '', 7] }, 'session_ids,1', 'session_ids,2'],
      [{ session_ids: ids, seed: '' }, 'seed'],
      [{ session_ids: ids, seed: 'x'.repeat(129) }, 'seed'],
      [{ session_ids: ids, seed: 7 }, 'seed'],
      [
        { session_ids: ids, blocks: [b('x', 'a', 'd', 'b', 'e')] },
        ...[1, 3].map((i) => `blocks,0,session_ids,${i}`),
      ],
      [{ session_ids: ids, blocks: [b('x', 'a'), b('y', 'b', 'a')] }, 'blocks,1,session_ids,1'],
      [{ session_ids: ids, blocks: [b('x', 'a', 'a')] }, 'blocks,0,session_ids,1'],
      [{ session_ids: ids, blocks: [b('x', 'a'), b('x', 'b')] }, 'blocks,1,name'],
      [{ session_ids: ids, blocks: [b('x')] }, 'blocks,0,session_ids'],
      [{ session_ids: ids, blocks: [b('', 'a'), b(null, 'b')] }, 'blocks,0,name', 'blocks,1,name'],
      [
        { session_ids: ['a', 'a'], blocks: [b('x', 'a', 'z'), b('x', 'a')] },
        'session_ids,1',
        'blocks,0,session_ids,1',
        'blocks,1,name',
        'blocks,1,session_ids,0',
      ],
    ] as const) {
      const answer = await assign(_id, body)
      t.equal(answer.status, 422, JSON.stringify(body).slice(0, 100))
      const found = answer.body.detail.map(({ loc }: { loc: string[] }) => loc.slice(1).join())
      t.strictSame(found, places)
    }
    t.match((await update(_id)).body, { assignment: null, [control]: [] })
  })

  t.test('is refused once the experiment has run or ended, whatever its status', async (t) => {
    for (const became of [
      ['running'],
      ['paused'],
      ['running', 'our own label'],
      ['completed'],
      ['cancelled'],
      ['archived'],
    ]) {
      const _id = await draft()
      for (const status of became) await update(_id, { status })
      const before = (await update(_id)).body
      const { status, body } = await assign(_id, four)
      t.equal(status, 409, became.join())
      t.match(body, { code: 'experiment_has_run', current_status: became.at(-1), detail: /\S/ })
      t.strictSame((await update(_id)).body, before)
    }
    for (const status of ['scheduled', 'our own label']) {
      const _id = await draft()
      await update(_id, { status })
      t.match(await assign(_id, four), { status: 200, body: { status } })
    }
  })

  t.test('makes an assignment that only a change of an arm by hand discards', async (t) => {
    const _id = await draft()
    const { assignment, ...body } = (await assign(_id, four)).body
    const reversed = { [control]: body[control].toReversed() }
    for (const fields of [{ name: 'New', assignment_ids: ['a'], status: 'running' }, reversed]) {
      t.strictSame((await update(_id, fields)).body.assignment, assignment)
    }
    await update(_id, { [control]: [...body[control], 'one more'] })
    t.equal((await update(_id)).body.assignment, null)
    const [event] = await auditEvents(call, admin)
    t.match(event?.metadata, { changes: { assignment: { from: assignment, to: null } } })
    for (const byHand of [
      { [control]: body[intervention], [intervention]: body[control] },
      { [control]: body[control].slice(1) },
      { [intervention]: [] },
    ]) {
      const other = await draft()
      await assign(other, four)
      t.equal((await update(other, byHand)).body.assignment, null)
    }
  })

  t.test('assigns nothing when its audit event cannot be stored', async (t) => {
    const _id = await draft()
    const { body } = await update(_id)
    await whileBroken(db, 'audit_events', 'at once', async () => {
      t.equal((await assign(_id, four)).status, 500)
    })
    t.strictSame((await update(_id)).body, body)
  })

  t.test('answers 404 for an unknown experiment', async (t) => {
    const { status, body } = await assign(createId(), four)
    t.strictSame([status, body.code], [404, 'experiment_not_found'])
  })

  t.test('allows a super_admin in every organization', async (t) => {
    const _id = await draft()
    const home = await registerAdmin()
    const operator = await addMember(home.organization_id, 'super_admin')
    const { body } = await assign(_id, four, operator)
    t.match(body, { organization_id, assignment: { assigned_by: operator.user_id } })
  })
})
