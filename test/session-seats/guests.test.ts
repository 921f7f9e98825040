import { t } from '../helpers/file.js'
import { seatsOf } from '../helpers/seats.js'
import { auditEvents, type Member, startService } from '../helpers/service.js'
import { openStage } from '../helpers/stage.js'

const service = await startService(t)
const { call, db } = service
const stage = await openStage(service)
const { admin, organization_id, bot, ben, cleo, draft, play, change } = stage
const { createLinks, take, linkGuest, joinAs } = seatsOf(service)
const { token } = admin

const idsOf = async (reader: Member, query: Record<string, string> = {}) => {
  const answer = await call('listUsers', { token: reader.token, query })
  const ids: string[] = answer.body.map(({ _id }: { _id: string }) => _id)
  return { ids, total: Number(answer.headers.get('x-total-count')), headers: answer.headers }
}

const nameUser = (user_id: string, full_name: string | null) =>
  db
    .updateTable('users')
    .set({ full_name })
    .where('organization_id', '=', organization_id)
    .where('_id', '=', user_id)
    .execute()

t.test('joinSession', async (t) => {
  t.test('asks a guest for a name', async (t) => {
    const { _id } = await play()
    const { guest } = await linkGuest(admin, _id)
    const loc = ['body', 'display_name']
    const faults: [string | null, string][] = [
      [null, 'missing'],
      ['', 'string_too_short'],
      ['  ', 'blank'],
      ['K'.repeat(101), 'string_too_long'],
      ['Kim\u202eNovak', 'hidden_characters'],
    ]
    for (const [name, type] of faults) {
      t.match(await joinAs(guest, name), { status: 422, body: { detail: [{ loc, type }] } }, type)
    }
    t.match(await joinAs(guest, ' Kim Novak '), { status: 200, body: { full_name: 'Kim Novak' } })
    const { user_id } = guest
    const events = await auditEvents(call, admin, {
      case_id: _id,
      event_type: 'participant_joined',
    })
    const event = events.find(({ actor_id }) => actor_id === user_id)
    t.match(event?.metadata, { changes: { full_name: { from: 'Guest 1', to: 'Kim Novak' } } })
  })

  t.test('keeps the name under which a guest has joined first', async (t) => {
    const { _id, params } = await play()
    const { guest } = await linkGuest(admin, _id)
    await joinAs(guest, 'Kim Novak')
    const checkKept = async (description: string) => {
      const answer = await joinAs(guest, 'Other')
      t.match(answer, { status: 200, body: { full_name: 'Kim Novak' } }, description)
      t.equal(answer.headers.get('x-ignored-fields'), '"body.display_name"', description)
    }
    await checkKept('while they take part')
    await call('leaveSession', { token: guest.token, params })
    await checkKept('when they come back')
  })

  t.test('refuses the name of another participant, in any case', async (t) => {
    const { _id } = await play()
    await nameUser(ben.user_id, 'Ben Young')
    const [one, other] = [await linkGuest(admin, _id), await linkGuest(admin, _id)]
    await joinAs(one.guest, 'Kim Novak')
    for (const name of ['Kim Novak', 'kim  novak', 'Ben Young']) {
      const answer = await joinAs(other.guest, name)
      const fault = { loc: ['body', 'display_name'], type: 'name_taken' }
      t.match(answer, { status: 422, body: { detail: [fault] } }, name)
    }
    t.equal((await joinAs(other.guest, 'Kim Nowak')).status, 200, 'another name')
    await nameUser(ben.user_id, null)
  })

  t.test('refuses the names of all who are in the session or may lead it', async (t) => {
    const rater = await service.addMember(organization_id, 'executive')
    const hr = await service.addMember(organization_id, 'hr')
    const elsewhere = await service.addMember(organization_id, 'executive')
    const names: [Member, string][] = [
      [bot, 'Renate Öz'],
      [rater, '王伟 Strauß'],
      [hr, 'Jon Berg'],
      [elsewhere, 'Nora Lund'],
    ]
    for (const [{ user_id }, name] of names) await nameUser(user_id, name)
    const own = { participants: [{ user_id: cleo.user_id }], rater_ids: [rater.user_id] }
    for (const { _id } of [await draft(own), await play(own)]) {
      const { guest } = await linkGuest(admin, _id)
      const taken = [
        'Renate Öz',
        'Renate O\u0308z',
        '王伟 STRAUSS',
        '王\uFE00伟 Strauß',
        'JON BERG',
        'Ｊｏｎ　Ｂｅｒｇ',
        'Participant 1',
      ]
      const loc = ['body', 'display_name']
      for (const name of taken) {
        const detail = [{ loc, type: 'name_taken' }]
        t.match(await joinAs(guest, name), { status: 422, body: { detail } }, name)
      }
      for (const name of [
        'J\u043En Berg',
        'Iris-F\u0430lk',
        'J\u03BFn',
        '\u0410BC',
        'Jon \u0412erg',
      ]) {
        const detail = [{ loc, type: 'mixed_alphabets' }]
        t.match(await joinAs(guest, name), { status: 422, body: { detail } }, name)
      }
      t.equal((await joinAs(guest, 'Nora Lund')).status, 200, 'of somebody who is not there')
    }
    await nameUser(bot.user_id, null)
  })

  t.test('takes names in every alphabet, and in several', async (t) => {
    const names = [
      'Мария Smith',
      'Anna-Мария',
      'Dr.Иван',
      'Anna/Анна',
      'Κώστας O\u02BCNeil',
      'Nguye\u0302\u0303n Thị 3',
      'Tシャツ 山田',
      '김 Kim',
      'محمد בן-דוד',
    ]
    const { _id } = await play()
    for (const name of names) {
      const { guest } = await linkGuest(admin, _id)
      t.equal((await joinAs(guest, name)).status, 200, name)
    }
  })

  t.test('keeps the names of people with an account', async (t) => {
    const { _id } = await draft({ participants: [{ user_id: ben.user_id }] })
    const [link] = await createLinks(admin, _id)
    const answer = await joinAs(await take(link), 'Somebody')
    t.match(answer, { status: 200, body: { is_guest: false, full_name: null } })
    t.equal(answer.headers.get('x-ignored-fields'), '"body.display_name"')
  })
})

t.test('A guest', async (t) => {
  t.test('is listed as a user only for trainers who ask for guests', async (t) => {
    const before = await idsOf(admin)
    const { guest } = await linkGuest(admin, (await play())._id)
    const { user_id } = guest
    const usual = await idsOf(admin)
    t.notOk(usual.ids.includes(user_id))
    t.equal(usual.total, before.total)
    const all = await idsOf(admin, { guests: 'include' })
    t.ok(all.ids.includes(user_id))
    t.ok(all.total > usual.total)
    const member = await idsOf(ben, { guests: 'include' })
    t.notOk(member.ids.includes(user_id))
    t.equal(member.headers.get('x-ignored-fields'), '"query.guests"')
  })

  t.test('cannot log in, get a new password, or get another role', async (t) => {
    const { guest } = await linkGuest(admin, (await play())._id)
    const { user_id } = guest
    const { body: user } = await call('getUser', { token, params: { user_id } })
    const { email, role } = user
    t.match({ email, role }, { email: /^guest-[\w-]+@guest\.invalid$/, role: 'employee' })
    const secret = 'correct horse battery staple'
    t.equal((await call('login', { body: { email, password: secret } })).status, 401)
    t.equal((await call('requestPasswordReset', { body: { email } })).status, 202)
    const rows = await db
      .selectFrom('password_resets')
      .select('user_id')
      .where('organization_id', '=', organization_id)
      .execute()
    t.strictSame(rows, [])
    const options = { token, params: { user_id }, body: { role: 'admin' } }
    t.match(await call('updateUser', options), {
      status: 422,
      body: { detail: [{ loc: ['body', 'role'], type: 'role_fixed' }] },
    })
    const resent = { token, params: { organization_id, user_id } }
    t.equal((await call('resendInvitation', resent)).status, 404)
  })

  t.test('is unknown to other sessions', async (t) => {
    const session = await draft()
    const { guest } = await linkGuest(admin, session._id)
    const { user_id } = guest
    const other = await draft()
    const params = { session_id: other._id }
    const participants = [{ user_id }]
    const added = await call('addParticipant', { token, params: { ...params, user_id } })
    t.match(added, { status: 404, body: { code: 'user_not_found' } })
    const unknown = { status: 422, body: { detail: [{ type: 'unknown_user' }] } }
    t.match(await call('setParticipants', { token, params, body: { participants } }), unknown)
    const raters = { rater_ids: [user_id] }
    t.match(await call('updateSession', { token, params, body: raters }), unknown)
    const { scenario_name } = other
    const body = { name: 'Wednesday', scenario_name, participants }
    t.match(await call('createSession', { token, body }), unknown)
    const own = { session_id: session._id }
    const kept = await call('setParticipants', { token, params: own, body: { participants } })
    t.match(kept, { status: 200, body: [{ user_id, is_guest: true }] })
  })

  t.test('does not count as a person of the organization', async (t) => {
    const used = async () => {
      const { body } = await call('getUsage', { token, params: { organization_id } })
      return body.limits.find(({ name }: { name: string }) => name === 'people').used
    }
    const before = await used()
    await linkGuest(admin, (await draft())._id)
    t.equal(await used(), before)
  })

  t.test('is deleted with the place or the session before the start', async (t) => {
    const { _id: session_id } = await draft()
    const [one, two, three] = await createLinks(admin, session_id, [
      { guest: true },
      { guest: true },
      { guest: true },
    ])
    const seat = await take(three)
    const statusOf = async (user_id = '') =>
      (await call('getUser', { token, params: { user_id } })).status
    const params = { session_id }
    await call('removeParticipant', { token, params: { ...params, user_id: one?.user_id ?? '' } })
    t.equal(await statusOf(one?.user_id), 404)
    const participants = [{ user_id: three?.user_id }]
    await call('setParticipants', { token, params, body: { participants } })
    t.strictSame([await statusOf(two?.user_id), await statusOf(three?.user_id)], [404, 200])
    await call('deleteSession', { token, params })
    t.equal(await statusOf(three?.user_id), 404)
    t.equal((await call('getSession', { token: seat.token, params })).status, 401)
  })

  t.test('is inactive after the end, and deleted with the session', async (t) => {
    const session = await play()
    const { guest } = await linkGuest(admin, session._id)
    await joinAs(guest, 'Kim Novak')
    await change('endSession', admin, session)
    const { user_id } = guest
    const { body } = await call('getUser', { token, params: { user_id } })
    t.match(body, { is_active: false, full_name: 'Kim Novak' })
    await call('deleteSession', { token, params: { session_id: session._id } })
    t.equal((await call('getUser', { token, params: { user_id } })).status, 404)
  })

  t.test('loses the seat after a trainer has deactivated them', async (t) => {
    const { _id, params } = await play()
    const { guest } = await linkGuest(admin, _id)
    const { user_id } = guest
    await call('updateUser', { token, params: { user_id }, body: { is_active: false } })
    t.equal((await call('getSession', { token: guest.token, params })).status, 401)
  })
})
