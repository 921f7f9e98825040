import argon2 from 'argon2'
import { createId } from '../../src/formats/identifiers.js'
import { refused, validString } from '../helpers/faults.js'
import { t } from '../helpers/file.js'
import { auditEvents, startService } from '../helpers/service.js'

const { call, db, registerAdmin, addMember } = await startService(t)
const password = 'correct horse battery staple'
const login = (email: string, secret = password) =>
  call('login', { body: { email, password: secret } })

t.test('login', async (t) => {
  t.test('answers like a registration', async (t) => {
    const admin = await registerAdmin()
    const { status, headers, body } = await login(` ${admin.email.toUpperCase()} `)
    t.equal(status, 200)
    const { user_id, organization_id, username } = admin
    t.match(body, { user_id, organization_id, username, role: 'admin', token_type: 'bearer' })
    t.equal(headers.get('cache-control'), 'no-store')
    t.equal((await call('listUsers', { token: body.access_token })).status, 200)
  })

  t.test('answers every failed login the same, whatever the reason', async (t) => {
    const [wrong, inactive, expired, current] = [
      await registerAdmin(),
      await registerAdmin(),
      await registerAdmin(),
      await registerAdmin(),
    ]
    const { organization_id, user_id } = inactive
    await db.updateTable('users').set({ is_active: false }).where('_id', '=', user_id).execute()
    const expire = (id: string, expires_at: string) =>
      db.updateTable('credentials').set({ expires_at }).where('user_id', '=', id).execute()
    await expire(expired.user_id, new Date(Date.now() - 1000).toISOString())
    await expire(current.user_id, new Date(Date.now() + 60_000).toISOString())
    const bot = await addMember(organization_id, 'bot')

    const refusals = [
      await login('nobody@example.com'),
      await login(wrong.email, 'not the password'),
      await login(inactive.email),
      await login(expired.email),
      await login(bot.email, 'a bot has no password'),
    ]
    for (const { status, headers, body } of refusals) {
      t.equal(status, 401)
      t.equal(headers.get('www-authenticate'), 'Bearer')
      t.strictSame(body, { detail: 'Incorrect email or password', code: 'invalid_credentials' })
    }
    t.equal((await login(current.email)).status, 200)
  })

  t.test('requires both fields as text', async (t) => {
    refused(
      t,
      await call('login', { body: { email: null } }),
      ['body email', 'string_type', validString],
      ['body password', 'missing', 'Field required'],
    )
  })

  t.test('rehashes a password with weaker parameters, once', async (t) => {
    const { email, user_id } = await registerAdmin()
    const weak = { type: argon2.argon2id, memoryCost: 1024, timeCost: 2, parallelism: 1 } as const
    const password_hash = await argon2.hash(password, weak)
    await db
      .updateTable('credentials')
      .set({ password_hash })
      .where('user_id', '=', user_id)
      .execute()
    const stored = () =>
      db.selectFrom('credentials').select('password_hash').where('user_id', '=', user_id).execute()

    t.equal((await login(email, 'not the password')).status, 401)
    t.strictSame(await stored(), [{ password_hash }])
    t.equal((await login(email)).status, 200)
    const renewed = await stored()
    t.match(renewed, [{ password_hash: /^\$argon2id\$.*\bm=19456\b/ }])
    t.equal((await login(email)).status, 200)
    t.strictSame(await stored(), renewed)
  })

  t.test('records an audit event for a login and for a failed one', async (t) => {
    const admin = await registerAdmin()
    await login(admin.email, 'not the password')
    await login(admin.email)
    t.match(await auditEvents(call, admin, { event_type: 'user_logged_in' }), [
      { category: 'auth', status: 'success', actor_type: 'user', actor_id: admin.user_id },
    ])
    let failed = await auditEvents(call, admin, { event_type: 'login_failed' })
    for (let tries = 0; failed.length === 0 && tries < 100; tries++) {
      failed = await auditEvents(call, admin, { event_type: 'login_failed' })
    }
    const metadata = { user_id: admin.user_id }
    t.match(failed, [
      { category: 'auth', status: 'failure', actor_type: 'anonymous', actor_id: null, metadata },
    ])
    t.notMatch(JSON.stringify(failed), /not the password/)
  })

  t.test('issues a different token each time', async (t) => {
    const { email, token } = await registerAdmin()
    const [first, second] = [await login(email), await login(email)]
    t.equal(new Set([token, first.body.access_token, second.body.access_token]).size, 3)
  })

  t.test('ends the oldest session of a user who has a hundred', async (t) => {
    const email = `${createId()}@example.com`
    const names = { organization_name: 'Acme', first_name: 'Ada', last_name: 'Okafor' }
    const { body: admin } = await call('register', { body: { email, password, ...names } })
    const { organization_id, user_id } = admin
    const expires_at = '2099-01-01T00:00:00Z'
    const sessions = Array.from({ length: 98 }, () => ({
      organization_id,
      user_id,
      expires_at,
      _id: createId(),
    }))
    await db.insertInto('login_sessions').values(sessions).execute()
    const { body: hundredth } = await login(email)
    const refresh = (refresh_token: string) => call('refreshToken', { body: { refresh_token } })
    const { body: renewed } = await refresh(admin.refresh_token)
    t.ok(renewed.refresh_token, 'a hundred sessions are kept')
    await login(email)
    t.equal((await refresh(renewed.refresh_token)).status, 401)
    t.equal((await refresh(hundredth.refresh_token)).status, 200)
    const stored = await db
      .selectFrom('login_sessions')
      .select('_id')
      .where('organization_id', '=', organization_id)
      .execute()
    t.equal(stored.length, 100)
  })
})
