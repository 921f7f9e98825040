import { t } from '../helpers/file.js'
import { type Member, startService } from '../helpers/service.js'
import { openWorkplace } from '../helpers/workplace.js'

const service = await startService(t)
const { call, db, addMember } = service
const { admin, organization_id, cast_ids, session, join } = await openWorkplace(service)
const [character_id = ''] = cast_ids

/** Gives a user an unchecked name, as older versions stored it. */
const storeName = (user_id: string, full_name: string) =>
  db
    .updateTable('users')
    .set({ full_name })
    .where('organization_id', '=', organization_id)
    .where('_id', '=', user_id)
    .execute()
await storeName(character_id, 'Mara Coste')

async function addNamed(full_name: string): Promise<Member> {
  const member = await addMember(organization_id, 'employee')
  await storeName(member.user_id, full_name)
  return member
}

const set = (session_id: string, ...members: Member[]) =>
  call('setParticipants', {
    token: admin.token,
    params: { session_id },
    body: { participants: members.map(({ user_id }) => ({ user_id })) },
  })
const rename = ({ token, user_id }: Member, full_name: string) =>
  call('updateUser', { token, params: { user_id }, body: { full_name } })

const lookAlikes = [
  'Маrа Coste',
  'Mara Соstе',
  'ΜΑRΑ COSTE',
  'mаra coste',
  'Mаrа  Cоstе',
  'Ｍａｒａ Coste',
  '𝐌ara Coste',
  'ᎷᎪᏒᎪ ᏟᎾᏚᎢᎬ'.replace('Ꮎ', 'O'),
  'Mara C0ste',
  'Ma\u200bra Coste',
  'Mara Сoste',
]
const others = [
  ...[
    'Mara Coste',
    'mara COSTE',
    ' Mara  Coste ',
    'Mára Coste',
    'Mara Costa',
    'Mara',
    'Марина Косте',
  ],
  'Иван Петров',
  'Γιώργος',
  '李明',
  'محمد',
  'Åsa Öberg',
]
const fault = (...loc: string[]) => ({
  status: 422,
  body: {
    detail: [{ loc, type: 'name_taken', msg: /looks like that of the character Mara Coste/ }],
  },
})

t.test('A user whose name looks like that of a character', async (t) => {
  t.test('is refused wherever participants are set', async (t) => {
    const session_id = await session()
    const running = await session({}, 'startSession')
    for (const name of lookAlikes) {
      const member = await addNamed(name)
      const place = fault('body', 'participants', '0', 'user_id')
      t.match(await set(session_id, member), place, name)
      t.match(await set(running, member), place, name)
      const participants = [{ user_id: member.user_id }]
      const body = { name: 'Tuesday', scenario_name: 'hr_workforce', participants }
      t.match(await call('createSession', { token: admin.token, body }), place, name)
    }
  })

  t.test('cannot join', async (t) => {
    const member = await addNamed('Ben')
    const session_id = await session({ participants: [{ user_id: member.user_id }] })
    await storeName(member.user_id, 'Маrа Coste')
    t.match(await join(member, session_id), fault('path', 'session_id'))
    await storeName(member.user_id, 'Ben')
    t.equal((await join(member, session_id)).status, 200)
  })

  t.test('cannot take the name until the session has ended', async (t) => {
    const member = await addNamed('Ben')
    const stranger = await addNamed('Cleo')
    const session_id = await session({ participants: [{ user_id: member.user_id }] })
    const token = admin.token
    for (const step of ['startSession', 'pauseSession', 'endSession'] as const) {
      t.match(await rename(member, 'Маrа Coste'), fault('body', 'full_name'), step)
      await call(step, { token, params: { session_id } })
    }
    t.equal((await rename(member, 'Маrа Coste')).status, 200)
    t.equal(
      (await rename(stranger, 'Маrа Coste')).status,
      200,
      'a user without a place in such a session',
    )
  })

  t.test("is not a user with another name, or with exactly the character's name", async (t) => {
    const session_id = await session()
    const members = []
    for (const name of others) members.push(await addNamed(name))
    t.equal((await set(session_id, ...members)).status, 200)
    for (const member of members) t.equal((await join(member, session_id)).status, 200)
  })
})
