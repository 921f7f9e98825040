import { createHash } from 'node:crypto'
import { createId } from '../../src/formats/identifiers.js'
import { createOpaqueToken } from '../../src/identity/opaque-token.js'
import { startAnotherProcess } from '../helpers/another-process.js'
import { t } from '../helpers/file.js'
import { auditEvents, type Member, startService } from '../helpers/service.js'
import { rowsOf } from '../helpers/walk.js'

const { app, call, db, registerAdmin } = await startService(t)
const refusal = { detail: 'Could not validate credentials', code: 'invalid_token' }

const login = async ({ email, password }: Pick<Member, 'email' | 'password'>) =>
  (await call('login', { body: { email, password } })).body
const refresh = (refresh_token: unknown) => call('refreshToken', { body: { refresh_token } })
const me = async (token: string) => (await call('getCurrentUser', { token })).status
const reuses = (admin: Member) => auditEvents(call, admin, { event_type: 'refresh_token_reuse' })
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

/** Moves the last use of a refresh token this many seconds into the past. */
async function backdateUse(refresh_token: string, seconds: number) {
  const { numUpdatedRows } = await db
    .updateTable('refresh_tokens')
    .set({ used_at: new Date(Date.now() - seconds * 1000).toISOString() })
    .where('token_hash', '=', hashOf(refresh_token))
    .where('used_at', 'is not', null)
    .executeTakeFirst()
  if (Number(numUpdatedRows) !== 1) throw new Error('This token has not been used')
}

const other = await startAnotherProcess(t, db)

t.test('refreshToken', async (t) => {
  t.test('answers like a login, with new tokens for the same session', async (t) => {
    const admin = await registerAdmin()
    const before = await login(admin)
    const { status, headers, body } = await refresh(before.refresh_token)
    t.equal(status, 200)
    t.equal(headers.get('cache-control'), 'no-store')
    const { user_id, organization_id, username } = admin
    t.match(body, { user_id, organization_id, username, role: 'admin', expires_in: 3600 })
    t.not(body.access_token, before.access_token)
    t.not(body.refresh_token, before.refresh_token)
    t.equal(sessionOf(body.access_token), sessionOf(before.access_token))
    t.equal(await me(body.access_token), 200)
  })

  t.test('continues a session with each new token', async (t) => {
    let { refresh_token } = await login(await registerAdmin())
    const seen = new Set([refresh_token])
    for (let turn = 0; turn < 5; turn++) {
      const { status, body } = await refresh(refresh_token)
      t.equal(status, 200)
      refresh_token = body.refresh_token
      seen.add(refresh_token)
    }
    t.equal(seen.size, 6)
  })

  t.test('returns the same token for a repeat within ten seconds, in every process', async (t) => {
    const admin = await registerAdmin()
    const { refresh_token } = await login(admin)
    const { body: first } = await refresh(refresh_token)
    await backdateUse(refresh_token, 1)
    const repeats = [(await refresh(refresh_token)).body, await other.refresh(refresh_token)]
    for (const repeat of repeats) t.equal(repeat.refresh_token, first.refresh_token)
    t.equal((await refresh(first.refresh_token)).status, 200)
    t.strictSame(await reuses(admin), [])
  })

  t.test('treats a later repeat as theft: ends the session and records it', async (t) => {
    const admin = await registerAdmin()
    const { user_id, organization_id } = admin
    const stolen = await login(admin)
    const { body: successor } = await refresh(stolen.refresh_token)
    const { body: latest } = await refresh(successor.refresh_token)
    t.equal(await me(latest.access_token), 200)
    await backdateUse(stolen.refresh_token, 11)

    const answer = await refresh(stolen.refresh_token)
    t.equal(answer.status, 401)
    t.strictSame(answer.body, refusal)
    for (const { access_token, refresh_token } of [stolen, successor, latest]) {
      t.equal(await me(access_token), 401)
      t.strictSame((await refresh(refresh_token)).body, refusal)
    }
    t.equal(await me(admin.token), 200, 'other sessions stay open')
    const session_id = sessionOf(stolen.access_token)
    const event = { organization_id, category: 'security', status: 'warning', actor_id: null }
    const events = await reuses(admin)
    t.equal(events.length, 1)
    t.match(events, [{ ...event, metadata: { user_id, session_id } }])
  })

  t.test('returns another token when the answer was lost, and ends the lost one', async (t) => {
    const admin = await registerAdmin()
    const { refresh_token } = await login(admin)
    const seen = [(await refresh(refresh_token)).body]
    for (const count of [2, 3]) {
      await backdateUse(refresh_token, 11)
      const repeats = [(await refresh(refresh_token)).body, await other.refresh(refresh_token)]
      t.equal(repeats[0].refresh_token, repeats[1]?.refresh_token, 'the same for ten seconds')
      seen.push(repeats[0])
      t.equal(new Set(seen.map((one) => one.refresh_token)).size, count)
    }
    t.strictSame(await reuses(admin), [])
    const newest = (await refresh(seen[2].refresh_token)).body
    t.equal(await me(newest.access_token), 200)
    t.strictSame((await refresh(seen[0].refresh_token)).body, refusal, 'the lost one has ended')
    t.equal((await reuses(admin)).length, 1)
    t.equal(await me(newest.access_token), 401)
  })

  t.test('lets only one of two go on who hold the same token', async (t) => {
    const admin = await registerAdmin()
    const { refresh_token } = await login(admin)
    const { body: owner } = await refresh(refresh_token)
    await backdateUse(refresh_token, 11)
    const [answer] = await Promise.all([refresh(refresh_token), refresh(owner.refresh_token)])
    const thief = answer.status === 200 ? answer.body : owner
    await refresh(owner.refresh_token)
    t.equal((await reuses(admin)).length, 1)
    for (const one of [owner, thief]) t.equal(await me(one.access_token), 401)
  })

  t.test('returns one valid successor for twenty concurrent uses', async (t) => {
    const admin = await registerAdmin()
    const { refresh_token, access_token } = await login(admin)
    const uses = Array.from({ length: 20 }, async (_, turn) =>
      turn % 2 ? other.refresh(refresh_token) : (await refresh(refresh_token)).body,
    )
    const grants = await Promise.all(uses)
    const [successor, ...more] = new Set(grants.map((grant) => grant.refresh_token))
    t.type(successor, 'string')
    t.strictSame(more, [])
    const unused = await db
      .selectFrom('refresh_tokens')
      .select('token_hash')
      .where('session_id', '=', sessionOf(access_token))
      .where('used_at', 'is', null)
      .execute()
    t.strictSame(unused, [{ token_hash: hashOf(successor) }])
    t.equal((await refresh(successor)).status, 200)
  })

  t.test('returns the current role', async (t) => {
    const admin = await registerAdmin()
    const { refresh_token } = await login(admin)
    const { user_id } = admin
    await db.updateTable('users').set({ role: 'hr' }).where('_id', '=', user_id).execute()
    t.equal((await refresh(refresh_token)).body.role, 'hr')
  })

  t.test('refuses the tokens of an inactive user until they are active again', async (t) => {
    const admin = await registerAdmin()
    const { refresh_token } = await login(admin)
    for (const [is_active, status] of [
      [false, 401],
      [true, 200],
    ] as const) {
      const { user_id } = admin
      await db.updateTable('users').set({ is_active }).where('_id', '=', user_id).execute()
      t.equal((await refresh(refresh_token)).status, status)
    }
  })

  t.test('refuses a session that is older than REFRESH_TOKEN_TTL', async (t) => {
    const { access_token, refresh_token } = await login(await registerAdmin())
    const session_id = sessionOf(access_token)
    const lifetime = await db
      .selectFrom('login_sessions')
      .select(['created_at', 'expires_at'])
      .where('_id', '=', session_id)
      .executeTakeFirstOrThrow()
    const seconds = (Date.parse(lifetime.expires_at) - Date.parse(lifetime.created_at)) / 1000
    t.equal(Math.round(seconds / 60), 30 * 24 * 60)
    const expires_at = new Date(Date.now() - 1000).toISOString()
    await db
      .updateTable('login_sessions')
      .set({ expires_at })
      .where('_id', '=', session_id)
      .execute()
    const { status, body } = await refresh(refresh_token)
    t.equal(status, 401)
    t.strictSame(body, refusal)
  })

  t.test('refuses a token that the service did not issue', async (t) => {
    const admin = await registerAdmin()
    const { refresh_token } = await login(admin)
    const strangers = {
      'a word': 'nonsense',
      'a token that was never issued': createOpaqueToken(admin.organization_id).text,
      'a token of an unknown organization': createOpaqueToken(createId()).text,
      'the wrong length': refresh_token.slice(4),
      'a token with something after it': `${refresh_token}==`,
      'text that is not base64url': '€'.repeat(64),
    }
    for (const [name, text] of Object.entries(strangers)) {
      const { status, headers, body } = await refresh(text)
      t.equal(status, 401, name)
      t.equal(headers.get('www-authenticate'), 'Bearer')
      t.strictSame(body, refusal)
    }
    for (const value of ['', null, 7, undefined, admin.token]) {
      t.equal((await refresh(value)).status, 422)
    }
    t.equal((await refresh(refresh_token)).status, 200)
  })

  t.test('stores only the SHA-256 of a token', async (t) => {
    const admin = await registerAdmin()
    const { refresh_token } = await login(admin)
    const { body } = await refresh(refresh_token)
    const rows = (await rowsOf(db, admin.organization_id)).join('\n')
    for (const token of [refresh_token, body.refresh_token]) {
      t.ok(rows.includes(hashOf(token)))
      t.notOk(rows.includes(token))
    }
    t.notOk(rows.includes(body.access_token))
    t.notMatch(JSON.stringify(await auditEvents(call, admin)), hashOf(refresh_token))
  })
})

t.test('A session', async (t) => {
  t.test('ends with its tokens when it expires', async (t) => {
    const admin = await registerAdmin()
    const grant = await login(admin)
    t.equal(await me(grant.access_token), 200)
    await db
      .updateTable('login_sessions')
      .set({ expires_at: new Date(Date.now() - 1).toISOString() })
      .where('_id', '=', sessionOf(grant.access_token))
      .execute()
    app.authenticator.invalidate(admin.user_id)
    t.equal(await me(grant.access_token), 401)
    t.equal((await refresh(grant.refresh_token)).status, 401)
  })

  t.test('limits access tokens to its remaining time', async (t) => {
    const grant = await login(await registerAdmin())
    await db
      .updateTable('login_sessions')
      .set({ expires_at: new Date(Date.now() + 60_000).toISOString() })
      .where('_id', '=', sessionOf(grant.access_token))
      .execute()
    const { body } = await refresh(grant.refresh_token)
    t.ok(body.expires_in > 50 && body.expires_in <= 60)
    t.equal(await me(body.access_token), 200)
    const [, payload = ''] = body.access_token.split('.')
    const { iat, exp } = JSON.parse(Buffer.from(payload, 'base64url').toString())
    t.equal(exp - iat, body.expires_in)
  })
})

/** The session that an access token belongs to. */
function sessionOf(token: string): string {
  return app.tokens.verify(token).sid
}
