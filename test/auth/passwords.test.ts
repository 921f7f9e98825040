import argon2 from 'argon2'
import { t } from '../helpers/file.js'
import { auditEvents, type Member, startService } from '../helpers/service.js'
import { exampleCall, idsOf, objectOf, operations, rowsOf } from '../helpers/walk.js'

const { app, call, db, registerAdmin, addMember } = await startService(t)
const limited = await startService(t, { RATE_LIMIT: 'on' })
const password = 'correct horse battery staple'
const chosen = 'another horse, another battery'

const tryLogin = (email: string, secret: string) =>
  call('login', { body: { email, password: secret } })
const login = async (email: string, secret = password) => (await tryLogin(email, secret)).body
const change = (token: string, current_password: unknown, new_password: unknown = chosen) =>
  call('changePassword', { token, body: { current_password, new_password } })
const me = (token: string) => call('getCurrentUser', { token })
const refresh = (refresh_token: string) => call('refreshToken', { body: { refresh_token } })

/** Invites a person without a mail server. Returns the temporary password as `secret`. */
async function inviteWithoutMail({ token, organization_id }: Member, access_level: string) {
  const email = `${access_level}.${crypto.randomUUID()}@example.com`
  const body = { first_name: 'Tomás', last_name: 'Herrera', email, access_level }
  const answer = await call('inviteMember', { token, params: { organization_id }, body })
  return { email, user_id: answer.body.user._id, secret: answer.body.temporary_password }
}

t.test('changePassword', async (t) => {
  t.test('answers with the tokens of a new session and ends all others', async (t) => {
    const admin = await registerAdmin()
    const [here, there] = [await login(admin.email), await login(admin.email)]
    const { status, headers, body } = await change(here.access_token, password)
    t.equal(status, 200)
    t.equal(headers.get('cache-control'), 'no-store')
    const { user_id, organization_id, username } = admin
    t.match(body, { user_id, organization_id, username, role: 'admin', token_type: 'bearer' })

    for (const token of [admin.token, here.access_token, there.access_token]) {
      t.equal((await me(token)).status, 401)
    }
    t.equal((await me(body.access_token)).status, 200)
    for (const { refresh_token } of [here, there])
      t.equal((await refresh(refresh_token)).status, 401)
    t.equal((await refresh(body.refresh_token)).status, 200)
  })

  t.test('also ends a session that is being refreshed at the same time', async (t) => {
    for (let round = 0; round < 5; round++) {
      const { email } = await registerAdmin()
      const before = await login(email)
      const [changed, refreshed] = await Promise.all([
        change(before.access_token, password),
        refresh(before.refresh_token),
      ])
      t.equal(changed.status, 200)
      for (const { access_token, refresh_token } of [before, refreshed.body]) {
        if (!access_token) continue
        t.equal((await me(access_token)).status, 401)
        t.equal((await refresh(refresh_token)).status, 401)
      }
    }
  })

  t.test('accepts a password only while it is the current one', async (t) => {
    const { token, email } = await registerAdmin()
    const wanted = [`${chosen} 1`, `${chosen} 2`]
    const answers = await Promise.all(wanted.map((one) => change(token, password, one)))
    const statuses = answers.map(({ status }) => status)
    t.strictSame([...statuses].sort(), [200, 422])
    const opened = await Promise.all(wanted.map((one) => tryLogin(email, one)))
    t.strictSame(
      opened.map(({ status }) => status),
      statuses.map((status) => (status === 200 ? 200 : 401)),
    )
  })

  t.test('makes the new password the only valid one, and stores it only as argon2id', async (t) => {
    const admin = await registerAdmin()
    const { body } = await change(admin.token, password)
    t.equal((await tryLogin(admin.email, password)).status, 401)
    t.equal((await tryLogin(admin.email, chosen)).status, 200)
    const [stored, ...more] = await db
      .selectFrom('credentials')
      .select(['password_hash', 'is_temporary', 'expires_at'])
      .where('user_id', '=', admin.user_id)
      .execute()
    t.strictSame(more, [])
    t.match(stored, { is_temporary: false, expires_at: null })
    t.match(
      stored?.password_hash,
      /^\$argon2id\$v=19\$(?=[^$]*m=19456)(?=[^$]*t=2\b)(?=[^$]*p=1\b)/,
    )
    t.ok(await argon2.verify(stored?.password_hash ?? '', chosen))
    const rows = (await rowsOf(db, admin.organization_id)).join('\n')
    for (const secret of [password, chosen, body.refresh_token]) t.notOk(rows.includes(secret))
  })

  t.test('records one audit event without the passwords', async (t) => {
    const admin = await registerAdmin()
    const { body } = await change(admin.token, password)
    const [event, ...before] = await auditEvents(call, { ...admin, token: body.access_token })
    t.match(event, { category: 'auth', event_type: 'password_changed', status: 'success' })
    t.match(event, { actor_type: 'user', actor_id: admin.user_id })
    t.strictSame(before.map(({ event_type }) => event_type).sort(), [
      'organization_created',
      'user_registered',
    ])
    t.notMatch(JSON.stringify(event), /horse|argon2/)
  })

  t.test('requires the current password and changes nothing without it', async (t) => {
    const admin = await registerAdmin()
    const other = await login(admin.email)
    const { status, body } = await change(admin.token, 'not the password')
    t.equal(status, 422)
    t.match(body.detail, [{ loc: ['body', 'current_password'], type: 'wrong_password' }])
    t.equal((await me(other.access_token)).status, 200)
    t.equal((await tryLogin(admin.email, password)).status, 200)
    t.equal((await auditEvents(call, admin, { event_type: 'password_changed' })).length, 0)
  })

  for (const [wanted, type] of [
    [password, 'same_password'],
    ['1234567', 'string_too_short'],
    ['x'.repeat(129), 'string_too_long'],
    [null, 'string_type'],
  ] as const) {
    t.test(`refuses "${String(wanted).slice(0, 10)}" as a new password with ${type}`, async (t) => {
      const admin = await registerAdmin()
      const { status, body } = await change(admin.token, password, wanted)
      t.equal(status, 422)
      t.match(body.detail, [{ loc: ['body', 'new_password'], type }])
      t.equal((await tryLogin(admin.email, password)).status, 200)
    })
  }

  t.test('refuses a user who has no password', async (t) => {
    const { organization_id } = await registerAdmin()
    const { token } = await addMember(organization_id, 'employee')
    t.equal((await change(token, password)).status, 422)
  })

  t.test('allows ten wrong passwords in 15 minutes for each account', async (t) => {
    const [guessed, other] = [await limited.registerAdmin(), await limited.registerAdmin()]
    const attempt = (token: string, current_password: string) =>
      limited.call('changePassword', { token, body: { current_password, new_password: chosen } })
    for (let guess = 0; guess < 10; guess++) {
      t.equal((await attempt(guessed.token, `guess ${guess}`)).status, 422)
    }
    const { status, headers, body } = await attempt(guessed.token, password)
    t.equal(status, 429)
    t.ok(Number(headers.get('retry-after')) > 0)
    t.equal(body.code, 'rate_limited')
    t.equal((await attempt(other.token, password)).status, 200)
  })
})

t.test('getCurrentUser', async (t) => {
  t.test('answers with the whole user and the organization with its branding', async (t) => {
    const admin = await registerAdmin({ organization_name: 'Nord', hobbies: ['sailing'] })
    const { token, user_id: _id, organization_id, username, email } = admin
    const branding = { company_name: 'Nord Works', primary_color: '#0B5FFF' }
    await call('updateBranding', { token, params: { organization_id }, body: branding })
    const { status, body } = await me(token)
    t.equal(status, 200)
    t.match(body.user, { _id, username, email, organization_id, full_name: 'Ada Okafor' })
    t.match(body.user, { role: 'admin', hobbies: ['sailing'], is_active: true })
    t.match(body.organization, { _id: organization_id, name: 'Nord', branding })
  })

  for (const role of ['super_admin', 'hr', 'executive', 'employee', 'bot'] as const) {
    t.test(`is open to the role ${role}`, async (t) => {
      const { organization_id } = await registerAdmin()
      const { token, user_id } = await addMember(organization_id, role)
      const { status, body } = await me(token)
      t.equal(status, 200)
      t.match(body.user, { _id: user_id, role })
    })
  }
})

t.test('A temporary password', async (t) => {
  const admin = await registerAdmin()
  async function inviteAndLogin() {
    const invited = await inviteWithoutMail(admin, 'admin')
    const { status, body } = await tryLogin(invited.email, invited.secret)
    t.equal(status, 200)
    return { invited, ...body }
  }
  const isOpen = (operation: (typeof operations)[number]) =>
    'x-allows-temporary-password' in objectOf(operation)

  t.test('lets a person change it, read their profile and log out', async (t) => {
    const { invited, access_token } = await inviteAndLogin()
    const names = operations.filter(isOpen).map(({ operationId }) => operationId)
    t.strictSame(names.sort(), ['changePassword', 'getCurrentUser', 'logout'])
    t.match((await me(access_token)).body.user, { _id: invited.user_id, role: 'admin' })
    const session = (await login(invited.email, invited.secret)).access_token
    t.equal((await call('logout', { token: session, body: {} })).status, 204)
    t.equal((await me(session)).status, 401)
  })

  t.test('opens nothing else, even to an admin', async (t) => {
    const { access_token, refresh_token } = await inviteAndLogin()
    const ids = await idsOf(db, admin.organization_id)
    const closed = operations.filter(
      (operation) => operation.roles?.includes('admin') && !isOpen(operation),
    )
    t.ok(closed.length > 10)
    const { body: renewed } = await refresh(refresh_token)
    for (const operation of closed) {
      const { operationId } = operation
      const given = exampleCall(operation, ({ name }) => ids.get(name) ?? admin.user_id)
      for (const token of [access_token, renewed.access_token]) {
        const { status, body } = await call(operationId, { ...given, token })
        t.strictSame([status, body.code], [403, 'password_change_required'], operationId)
      }
    }
  })

  t.test('is void after it is changed, and the new password opens everything', async (t) => {
    const { invited, access_token } = await inviteAndLogin()
    const { body } = await change(access_token, invited.secret)
    t.equal((await call('listUsers', { token: access_token })).status, 401)
    t.equal((await call('listUsers', { token: body.access_token })).status, 200)
    t.equal((await tryLogin(invited.email, invited.secret)).status, 401)
    t.equal((await tryLogin(invited.email, chosen)).status, 200)
    t.match(await auditEvents(call, admin, { event_type: 'invitation_accepted' }), [
      { category: 'invitation', actor_id: invited.user_id },
    ])
  })

  t.test('cannot be reused as the new password', async (t) => {
    const { email, secret } = await inviteWithoutMail(admin, 'employee')
    const { access_token: token } = await login(email, secret)
    t.equal((await change(token, secret, secret)).status, 422)
    app.authenticator.invalidate((await me(token)).body.user._id)
    t.equal((await call('listUsers', { token })).body.code, 'password_change_required')
  })
})
