import type { Schema } from '../../src/contract.js'
import { openDecisions, said, storyWith } from '../helpers/decisions.js'
import { t } from '../helpers/file.js'
import { seatsOf } from '../helpers/seats.js'
import { type Member, startService } from '../helpers/service.js'
import { openWorkplace } from '../helpers/workplace.js'

const service = await startService(t)
const { call } = service
const { admin, ben, cleo, session, join } = await openWorkplace(service)
const { token } = admin
const role_key = 'case_handler'
const team = [{ user_id: ben.user_id, role_key }, { user_id: cleo.user_id }]

const setActive = ({ user_id }: Pick<Member, 'user_id'>, is_active: boolean) =>
  call('updateUser', { token, params: { user_id }, body: { is_active } })

async function countsOf(session_id: string): Promise<Schema<'SessionCounts'>> {
  return (await call('getSession', { token, params: { session_id } })).body.counts
}

async function checksOf(session_id: string): Promise<Record<string, Schema<'SessionCheck'>>> {
  const { body } = await call('getSessionReadiness', { token, params: { session_id } })
  return Object.fromEntries(body.checks.map((one: Schema<'SessionCheck'>) => [one.check, one]))
}

t.test('A participant who is deactivated', async (t) => {
  t.afterEach(() => setActive(ben, true))

  t.test('does not count as joined until the session ends or they come back', async (t) => {
    const session_id = await session({ participants: team }, 'startSession')
    for (const one of [ben, cleo]) await join(one, session_id)
    t.match(await countsOf(session_id), { participants: 2, joined: 2 })
    await setActive(ben, false)
    t.match(await countsOf(session_id), { participants: 2, joined: 1 })
    await setActive(ben, true)
    t.match(await countsOf(session_id), { participants: 2, joined: 2 }, 'without joining again')
    await call('endSession', { token, params: { session_id } })
    await setActive(ben, false)
    t.match(await countsOf(session_id), { participants: 2, joined: 2 }, 'who was there stays')
  })

  t.test('takes no role, and alone makes no team', async (t) => {
    const session_id = await session({ participants: team.slice(0, 1) })
    const taken = (await checksOf(session_id)).roles?.message ?? ''
    t.notMatch(taken, role_key)
    t.match(await checksOf(session_id), { participants: { passed: true } })
    await setActive(ben, false)
    t.match(await checksOf(session_id), {
      participants: { passed: false, message: 'It has no active participants.' },
      roles: { passed: false, message: /^No active participant has the roles .*case_handler/ },
    })
    const { body } = await call('getSession', { token, params: { session_id } })
    const messages = body.warnings.map(({ message }: Schema<'Warning'>) => message)
    t.ok(messages.includes('It has no active participants.'))
  })
})

t.test('A session that starts without a participant who is deactivated', async (t) => {
  const stage = await openDecisions(service)
  const owner = stage.admin
  const scenario_name = 'crisis_response'
  const story = storyWith(['food_safety_officer'])
  await stage.addScenario(owner, story, { scenario_name, channel_name: 'calls' })
  const greeting = [said(0, 'Good morning, {{user.full_name}}.')]
  await stage.addScenario(owner, greeting, { scenario_name, channel_name: 'hall' })
  const named = async (full_name: string) => {
    const member = await service.addMember(owner.organization_id, 'employee')
    const params = { user_id: member.user_id }
    await call('updateUser', { token: owner.token, params, body: { full_name } })
    return member
  }
  const [ada, max] = [await named('Ada Lund'), await named('Max Roth')]
  const participants = [
    { user_id: ada.user_id },
    { user_id: max.user_id, role_key: 'food_safety_officer' },
  ]
  const { _id } = await stage.create(owner, { scenario_name, participants })
  const params = { session_id: _id }
  const warningsNow = async () => {
    const { body } = await call('getSessionReadiness', { token: owner.token, params })
    return JSON.stringify(body.warnings)
  }
  t.notMatch(await warningsNow(), 'makes this decision')
  const away = { user_id: max.user_id }
  await call('updateUser', { token: owner.token, params: away, body: { is_active: false } })
  t.match(await warningsNow(), 'Only food_safety_officer makes this decision')
  await stage.change('startSession', owner, { _id })
  const { body } = await call('listSessionMessages', { token: owner.token, params })
  const contents = body.map(({ content }: Schema<'SessionMessage'>) => content)
  t.ok(contents.includes('Good morning, Ada Lund.'), 'names only those who can come')
})

t.test('A guest counts as joined after the end', async (t) => {
  const { createLinks, take, joinAs } = seatsOf(service)
  const session_id = await session()
  const [link] = await createLinks(admin, session_id, [{ guest: true, role_key }])
  await joinAs(await take(link), 'Priya')
  const params = { session_id }
  await call('startSession', { token, params })
  await call('endSession', { token, params })
  t.match(await countsOf(session_id), { participants: 1, joined: 1 })
})
