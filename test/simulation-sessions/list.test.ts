import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import { sessionsOf } from '../helpers/sessions.js'

const service = await startService(t)
const { call, db, registerAdmin, addMember } = service
const { addScenario, create, change, read } = sessionsOf(service)

/** With a decomposed letter. */
const night = 'Na\u0308chte'

t.test('listSessions', async (t) => {
  const chief = await registerAdmin()
  const names = ['Early shift', 'Late shift', night]
  const sessions: { _id: string }[] = []
  for (const name of names) {
    await addScenario(chief, [], { scenario_name: name })
    sessions.push(await create(chief, { name, scenario_name: name }))
  }

  const list = async (as: string, query: Record<string, string | string[]> = {}) =>
    (await call('listSessions', { token: as, query })).body.map((one: { name: string }) => one.name)

  t.test('lists the newest first, page by page, with filters', async (t) => {
    t.strictSame(await list(chief.token), names.toReversed())
    t.strictSame(await list(chief.token, { name: 'SHIFT' }), ['Late shift', 'Early shift'])
    t.strictSame(await list(chief.token, { name: 'NÄCHTE' }), [night])
    t.strictSame(await list(chief.token, { name: 'na\u0308' }), [night])
    t.strictSame(await list(chief.token, { scenario_name: night }), [night])
    t.strictSame(await list(chief.token, { status: 'running' }), [])
    const first = await call('listSessions', { token: chief.token, query: { limit: '2' } })
    t.equal(first.body.length, 2)
    const next = new URL(String(first.headers.get('link')?.match(/<(.*)>/)?.[1]), 'http://x')
    t.strictSame(await list(chief.token, Object.fromEntries(next.searchParams)), ['Early shift'])
  })

  t.test('accepts several statuses', async (t) => {
    const [early, late] = sessions
    await change('endSession', chief, { _id: early?._id ?? '' })
    const statuses = ['cancelled', 'draft']
    const named = async (...status: string[]) => list(chief.token, { status })
    t.strictSame(await named('cancelled'), ['Early shift'])
    t.strictSame(await named('cancelled', 'running'), ['Early shift'])
    t.strictSame(await named(...statuses), names.toReversed())
    t.strictSame(await named('running', 'paused'), [])
    t.strictSame(
      await list(chief.token, { status: '' }),
      names.toReversed(),
      'an empty status counts as absent',
    )
    const query = { status: statuses, limit: '2' }
    const first = await call('listSessions', { token: chief.token, query })
    t.equal(first.body[1]._id, late?._id)
    const next = new URL(String(first.headers.get('link')?.match(/<(.*)>/)?.[1]), 'http://x')
    t.strictSame(next.searchParams.getAll('status'), statuses)
    const cursor = next.searchParams.get('cursor') ?? ''
    t.strictSame(await list(chief.token, { ...query, cursor }), ['Early shift'])
    for (const [status, place] of [
      [['ended'], '0'],
      [['running', 'ended'], '1'],
    ] as [string[], string][]) {
      const refused = await call('listSessions', {
        token: chief.token,
        query: { status },
      })
      t.match(refused, { status: 422, body: { detail: [{ loc: ['query', 'status', place] }] } })
    }
    const many = await call('listSessions', {
      token: chief.token,
      query: { status: Array(8).fill('draft') },
    })
    t.match(many.body.detail, [{ loc: ['query', 'status'], type: 'too_long' }])
  })

  t.test('lists with participant=me only sessions in which the caller takes part', async (t) => {
    const { organization_id } = chief
    const hr = await addMember(organization_id, 'hr')
    const rater = await addMember(organization_id, 'executive')
    const participants = [hr, rater].map(({ user_id }) => ({ user_id }))
    const mine = await create(chief, { name: 'Place', scenario_name: night, participants })
    const rater_ids = [rater.user_id]
    const fields = { name: 'Rated', scenario_name: night, rater_ids }
    await create(chief, fields)
    const own = async ({ token }: { token: string }) => list(token, { participant: 'me' })
    t.strictSame(await list(rater.token), ['Rated', 'Place'])
    t.strictSame([await own(hr), await own(rater), await own(chief)], [['Place'], ['Place'], []])
    t.strictSame(await list(rater.token, { participant: 'me', status: 'draft' }), ['Place'])
    await db
      .updateTable('session_assignments')
      .set({ removed_at: new Date().toISOString() })
      .where('organization_id', '=', organization_id)
      .where('session_id', '=', mine._id)
      .where('user_id', '=', hr.user_id)
      .execute()
    t.strictSame([await own(hr), await own(rater)], [[], ['Place']])
    const query = { participant: rater.user_id }
    const refused = await call('listSessions', { token: rater.token, query })
    t.match(refused.body.detail, [{ loc: ['query', 'participant'], type: 'literal_error' }])
  })

  t.test('lists for other roles the sessions in which they have a role', async (t) => {
    const employee = await addMember(chief.organization_id, 'employee')
    const executive = await addMember(chief.organization_id, 'executive')
    t.strictSame(await list(employee.token), [])
    const participants = [{ user_id: employee.user_id }]
    const rater_ids = [executive.user_id]
    const both = {
      name: 'Both',
      scenario_name: night,
      participants: [{ user_id: executive.user_id }],
    }
    const refused = await call('createSession', {
      token: chief.token,
      body: { ...both, rater_ids },
    })
    t.match(refused.body.detail, [{ loc: ['body', 'rater_ids', '0'], msg: /takes part/ }])
    const mine = await create(chief, {
      name: 'Mine',
      scenario_name: night,
      participants,
      rater_ids,
    })
    t.strictSame(await list(employee.token), ['Mine'])
    t.strictSame(await list(executive.token), ['Mine'])
    t.equal((await read(employee, mine)).name, 'Mine')
    const { metadata, warnings, counts, next_due_at } = await read(employee, mine)
    t.match({ metadata, warnings, next_due_at }, { metadata: {}, warnings: [], next_due_at: null })
    t.match(counts, { participants: 1, planned: null, posted: null, withheld: null })
    t.strictSame((await read(executive, mine)).rater_ids, [])
    const params = { session_id: sessions[0]?._id ?? '' }
    t.equal((await call('getSession', { token: employee.token, params })).status, 404)
    const demoted = { params: { user_id: executive.user_id }, body: { role: 'employee' } }
    await call('updateUser', { token: chief.token, ...demoted })
    t.strictSame(await list(executive.token), [], 'a user who may no longer rate')
  })

  t.test('lists for a bot the sessions with it in the cast', async (t) => {
    const { body: setup } = await call('applyQuickSetup', {
      token: chief.token,
      body: { team_size: 2 },
    })
    const [user_id = ''] = setup.character_ids
    const { body } = await call('createApiKey', {
      token: chief.token,
      params: { user_id },
      body: { name: 'Runtime' },
    })
    const session = await create(chief, { name: 'Cast', scenario_name: 'hr_workforce' })
    t.strictSame(await list(body.api_key), ['Cast'])
    await change('startSession', chief, session)
    t.strictSame(await list(body.api_key), ['Cast'])
    t.equal((await read({ ...chief, token: body.api_key }, session)).status, 'running')
  })
})
