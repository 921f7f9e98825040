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

t.test('A participant', async (t) => {
  for (const role of ['admin', 'hr'] as const) {
    t.test(`cannot rate their own team as ${role}, before and after joining`, async (t) => {
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
      t.equal((await rate(hr, session_id)).status, 200, 'others can still rate the team')
      const other = await session({}, 'startSession')
      t.equal((await rate(player, other)).status, 200, 'the participant can rate other teams')
    })

    t.test(`cannot be named as a rater of their own team as ${role}`, async (t) => {
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

  t.test('cannot be a user who has rated the team', async (t) => {
    const session_id = await session({ participants: [{ user_id: ben.user_id }] }, 'startSession')
    await rate(hr, session_id)
    const { status, body } = await setParticipants(session_id, ben, hr)
    t.equal(status, 422)
    t.match(body.detail, [{ loc: ['body', 'participants', '1', 'user_id'], msg: /rates/ }])
    t.equal((await setParticipants(session_id, ben, admin)).status, 200)
  })
})
