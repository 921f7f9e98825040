import { t } from '../helpers/file.js'
import { type Answer, auditEvents, startService } from '../helpers/service.js'

const { call, registerAdmin, addMember } = await startService(t)
const admin = await registerAdmin()
const { token } = admin
const other = await addMember(admin.organization_id, 'admin')

const get = (experiment_id: string) => call('getExperiment', { token, params: { experiment_id } })
const tagOf = ({ headers }: Answer) => headers.get('etag') ?? ''

async function draft(fields: object = {}) {
  const answer = await call('createExperiment', { token, body: { name: 'Draft', ...fields } })
  return { _id: answer.body._id as string, tag: tagOf(answer) }
}

type Change = (experiment_id: string, tag?: string, as?: { token: string }) => Promise<Answer>
const matching = (tag?: string) => (tag === undefined ? {} : { headers: { 'if-match': tag } })
const updating =
  (body: object): Change =>
  (experiment_id, tag, { token } = admin) =>
    call('updateExperiment', { token, params: { experiment_id }, body, ...matching(tag) })
const rename = updating({ name: 'Renamed' })
const remove: Change = (experiment_id, tag, { token } = admin) =>
  call('deleteExperiment', { token, params: { experiment_id }, ...matching(tag) })
const assign: Change = (experiment_id, tag, { token } = admin) => {
  const body = { session_ids: ['s1', 's2'], seed: 'x' }
  return call('assignSessions', { token, params: { experiment_id }, body, ...matching(tag) })
}
const changes = { rename, remove, assign }
const refusal = { status: 412, body: { code: 'precondition_failed' } }

for (const [name, change] of Object.entries(changes)) {
  t.test(`A change (${name})`, async (t) => {
    t.test('succeeds on the version that was read', async (t) => {
      for (const wanted of [(tag: string) => tag, (tag: string) => `"x", ${tag}`, () => '*']) {
        const { _id, tag } = await draft()
        const answer = await change(_id, wanted(tag))
        t.ok(answer.status < 300)
        if (change === remove) continue
        t.not(tagOf(answer), tag)
        t.equal(tagOf(await get(_id)), tagOf(answer), 'and returns the tag of the new version')
      }
    })

    t.test('is refused on any other version, and changes nothing', async (t) => {
      const { _id, tag } = await draft()
      await updating({ hypothesis: 'It helps.' })(_id)
      const { body } = await get(_id)
      const before = await auditEvents(call, admin)
      for (const stale of [tag, '"x"', 'W/"x"', 'x', `W/${tag}`]) {
        t.match(await change(_id, stale), refusal, stale)
      }
      t.strictSame((await get(_id)).body, body)
      t.strictSame(await auditEvents(call, admin), before)
    })

    t.test('checks first the id, then the version, then the change itself', async (t) => {
      const { _id, tag } = await draft()
      t.equal((await change('x', '"x"')).status, 404)
      await updating({ status: 'running' })(_id)
      t.match(await change(_id, tag), refusal)
    })
  })
}

t.test('Of two administrators who change the same version', async (t) => {
  const pairs: [string, Change, Change][] = [
    ['two updates', rename, updating({ assignment_ids: ['a1'] })],
    ['the same update', rename, rename],
    ['an update and an assignment', rename, assign],
    ['two assignments', assign, updating({ control_session_ids: ['s9'] })],
    ['a start and a deletion', updating({ status: 'running' }), remove],
    ['an assignment and a deletion', assign, remove],
  ]
  for (const [name, one, two] of pairs) {
    t.test(`one succeeds: ${name}`, async (t) => {
      for (let turn = 0; turn < 5; turn++) {
        const { _id, tag } = await draft()
        const order = turn % 2 ? [two, one] : [one, two]
        const answers = await Promise.all([order[0]?.(_id, tag), order[1]?.(_id, tag, other)])
        const made = answers.filter((answer) => answer && answer.status < 300)
        const [refused] = answers.filter((answer) => answer && answer.status >= 300)
        t.equal(made.length, 1)
        const [winner] = made
        if (winner?.status === 204) {
          t.match(refused, { status: 404, body: { code: 'experiment_not_found' } })
          continue
        }
        t.match(refused, refusal)
        t.strictSame((await get(_id)).body, winner?.body, 'none of its changes is lost')
      }
    })
  }
})

t.test('updateExperiment', async (t) => {
  const period = { start_at: '2026-12-01T08:00:00.000Z', end_at: '2026-12-02T08:00:00.000Z' }

  t.test('clears a time that is listed in clear', async (t) => {
    for (const [clear, left] of [
      [['end_at'], { ...period, end_at: null }],
      [['start_at'], { ...period, start_at: null }],
      [['end_at', 'start_at'], { start_at: null, end_at: null }],
      [[], period],
      [null, period],
    ] as const) {
      const { _id } = await draft(period)
      const { status, body } = await updating({ clear, start_at: null })(_id)
      t.match({ status, body }, { status: 200, body: left }, JSON.stringify(clear))
    }
    const { _id } = await draft(period)
    await updating({ clear: ['end_at'] })(_id)
    const [event] = await auditEvents(call, admin)
    t.strictSame(event?.metadata?.changes, { end_at: { from: period.end_at, to: null } })
    const count = (await auditEvents(call, admin)).length
    t.equal((await updating({ clear: ['end_at'] })(_id)).status, 200)
    t.equal((await auditEvents(call, admin)).length, count, 'the repeated request records nothing')
    const earlier = { start_at: '2027-01-01T00:00:00.000Z' }
    t.match(await updating(earlier)(_id), { status: 200, body: earlier })
  })

  t.test('refuses to clear a field that it also sets, or that is not a time', async (t) => {
    const { _id } = await draft(period)
    for (const [body, ...places] of [
      [{ clear: ['end_at'], end_at: period.end_at }, 'clear,0'],
      [{ clear: ['end_at', 'start_at'], start_at: period.start_at }, 'clear,1'],
      [{ clear: ['end_at', 'start_at'], ...period }, 'clear,0', 'clear,1'],
      [{ clear: ['name'] }, 'clear,0'],
      [{ clear: ['end_at', 'end_at'] }, 'clear'],
      [{ clear: 'end_at' }, 'clear'],
    ] as const) {
      const answer = await updating(body)(_id)
      t.equal(answer.status, 422)
      const found = answer.body.detail.map(({ loc }: { loc: string[] }) => loc.slice(1).join())
      t.strictSame(found, places, JSON.stringify(body))
    }
    t.match((await get(_id)).body, period)
  })
})
