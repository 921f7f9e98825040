import { t } from '../helpers/file.js'
import { type Member, startService } from '../helpers/service.js'
import { openWorkplace } from '../helpers/workplace.js'

const service = await startService(t)
const { call, addMember } = service
const { admin, organization_id, hr, ben, session } = await openWorkplace(service)

const ratings = [{ criterion: 'Tell those affected', value: 4 }]
const rate = ({ token }: Member, session_id: string) =>
  call('rateSession', { token, params: { session_id }, body: { ratings } })
const setParticipants = (session_id: string, ...members: Member[]) =>
  call('setParticipants', {
    token: admin.token,
    params: { session_id },
    body: { participants: members.map(({ user_id }) => ({ user_id })) },
  })

t.test('A participant cannot rate their own team', async (t) => {
  for (const role of ['admin', 'hr'] as const) {
    t.test(`as ${role}, whether they have joined or not`, async (t) => {
      const player = await addMember(organization_id, role)
      const participants = [{ user_id: player.user_id }]
      const session_id = await session({ participants }, 'startSession')
      const refused = { status: 403, body: { code: 'own_team' } }
      t.match(await rate(player, session_id), refused)
      await call('joinSession', {
        token: player.token,
        params: { session_id },
        body: { consent: true },
      })
      t.match(await rate(player, session_id), refused)
      t.equal((await rate(hr, session_id)).status, 200, 'others still can')
      const other = await session({}, 'startSession')
      t.equal((await rate(player, other)).status, 200, 'they can rate other teams')
    })

    t.test(`nor be named as its rater as ${role}`, async (t) => {
      const { user_id } = await addMember(organization_id, role)
      const body = {
        name: 'Tuesday',
        scenario_name: 'hr_workforce',
        ...{ participants: [{ user_id }], rater_ids: [user_id] },
      }
      const { status, body: answer } = await call('createSession', { token: admin.token, body })
      t.equal(status, 422)
      t.match(answer.detail, [{ loc: ['body', 'rater_ids', '0'] }])
    })
  }

  t.test('nor join the team later as its rater', async (t) => {
    const session_id = await session({ participants: [{ user_id: ben.user_id }] }, 'startSession')
    await rate(hr, session_id)
    const { status, body } = await setParticipants(session_id, ben, hr)
    t.equal(status, 422)
    t.match(body.detail, [{ loc: ['body', 'participants', '1', 'user_id'], msg: /rates/ }])
    t.equal((await setParticipants(session_id, ben, admin)).status, 200)
  })
})
