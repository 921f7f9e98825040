import { createHash, randomUUID } from 'node:crypto'
import { batchesOf } from '../../src/database/batches.js'
import {
  forgetOldLogins,
  keepForgettingLogins,
} from '../../src/identity/login-sessions/retention.js'
import { t } from '../helpers/file.js'
import { auditEvents, type Member, startService } from '../helpers/service.js'
import { skipEmbedded } from '../helpers/skips.js'
import { until } from '../helpers/until.js'

const { app, call, db, registerAdmin } = await startService(t)
const refusal = { detail: 'Could not validate credentials', code: 'invalid_token' }

const refresh = (refresh_token: string) => call('refreshToken', { body: { refresh_token } })
const me = async (token: string) => (await call('getCurrentUser', { token })).status
const reuses = (admin: Member) => auditEvents(call, admin, { event_type: 'refresh_token_reuse' })
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')
const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()

async function login() {
  const admin = await registerAdmin()
  const { email, password } = admin
  const { body } = await call('login', { body: { email, password } })
  return { admin, ...body, session_id: app.tokens.verify(body.access_token).sid }
}

type Login = Awaited<ReturnType<typeof login>>

/** A login session whose first token was used some hours ago. Returns the first and the newest token. */
async function refreshedLogin(hours: number) {
  const first = await login()
  const { body: newest } = await refresh(first.refresh_token)
  await db
    .updateTable('refresh_tokens')
    .set({ used_at: hoursAgo(hours) })
    .where('token_hash', '=', hashOf(first.refresh_token))
    .execute()
  return { admin: first.admin, session_id: first.session_id, first, newest }
}

const expire = ({ session_id }: Login, hours: number) =>
  db
    .updateTable('login_sessions')
    .set({ expires_at: hoursAgo(hours) })
    .where('_id', '=', session_id)
    .execute()

const tokensOf = async ({ session_id }: Pick<Login, 'session_id'>): Promise<string[]> => {
  const tokens = db.selectFrom('refresh_tokens').select('token_hash')
  const rows = await tokens.where('session_id', '=', session_id).execute()
  return rows.map(({ token_hash }) => token_hash)
}

/** Adds tokens to a login session that were used two days ago. */
async function addUsedTokens({ organization_id, session_id }: Login, length: number) {
  const tokens = Array.from({ length }, () => ({
    organization_id,
    session_id,
    token_hash: hashOf(randomUUID()),
    used_at: hoursAgo(48),
  }))
  for (const batch of batchesOf(tokens)) {
    await db.insertInto('refresh_tokens').values(batch).execute()
  }
}

t.test('A used refresh token', async (t) => {
  t.test('is unknown two days after its use, and its session stays', async (t) => {
    const { admin, session_id, first, newest } = await refreshedLogin(48)
    await forgetOldLogins(db)
    t.strictSame(await tokensOf({ session_id }), [hashOf(newest.refresh_token)])
    const repeat = await refresh(first.refresh_token)
    t.equal(repeat.status, 401)
    t.strictSame(repeat.body, refusal)
    t.strictSame(await reuses(admin), [])
    t.equal(await me(newest.access_token), 200)
    t.equal((await refresh(newest.refresh_token)).status, 200)
  })

  t.test('still ends its session an hour after its use', async (t) => {
    const { admin, first, newest } = await refreshedLogin(1)
    await forgetOldLogins(db)
    t.equal((await refresh(newest.refresh_token)).status, 200)
    t.strictSame((await refresh(first.refresh_token)).body, refusal)
    t.equal((await reuses(admin)).length, 1)
    t.equal(await me(newest.access_token), 401)
    t.equal((await refresh(newest.refresh_token)).status, 401)
  })

  t.test('is forgotten with all others, also when several processes do it at once', async (t) => {
    const logins = [await login(), await login(), await login()]
    for (const one of logins) await addUsedTokens(one, 2_000)
    await Promise.all(Array.from({ length: 4 }, () => forgetOldLogins(db)))
    for (const one of logins) {
      t.strictSame(await tokensOf(one), [hashOf(one.refresh_token)])
      t.equal((await refresh(one.refresh_token)).status, 200)
    }
  })

  t.test('does not hold up the others while it is locked', { skip: skipEmbedded }, async (t) => {
    const one = await login()
    await addUsedTokens(one, 3)
    const locked = (await tokensOf(one)).find((hash) => hash !== hashOf(one.refresh_token)) ?? ''
    await db.transaction().execute(async (trx) => {
      const tokens = trx.selectFrom('refresh_tokens').select('token_hash')
      const own = tokens.where('organization_id', '=', one.organization_id)
      await own.where('token_hash', '=', locked).forUpdate().execute()
      await forgetOldLogins(db)
      const left = [hashOf(one.refresh_token), locked]
      t.strictSame((await tokensOf(one)).sort(), left.sort())
    })
    await forgetOldLogins(db)
    t.strictSame(await tokensOf(one), [hashOf(one.refresh_token)])
  })
})

t.test('A login session', async (t) => {
  const isKept = async ({ session_id }: Login) => {
    const sessions = db.selectFrom('login_sessions').where('_id', '=', session_id)
    return (await sessions.select('_id').execute()).length === 1
  }

  t.test('is deleted with its tokens two days after it expires', async (t) => {
    const old = await login()
    const recent = await login()
    const { body: newest } = await refresh(old.refresh_token)
    await expire(old, 48)
    await expire(recent, 1)
    await forgetOldLogins(db)
    t.notOk(await isKept(old))
    t.strictSame(await tokensOf(old), [])
    t.strictSame((await refresh(newest.refresh_token)).body, refusal)
    t.ok(await isKept(recent))
    t.strictSame(await tokensOf(recent), [hashOf(recent.refresh_token)])
  })

  t.test('continues with a token that was not used for weeks', async (t) => {
    const { session_id, refresh_token } = await login()
    await db
      .updateTable('login_sessions')
      .set({ created_at: hoursAgo(20 * 24) })
      .where('_id', '=', session_id)
      .execute()
    await forgetOldLogins(db)
    t.equal((await refresh(refresh_token)).status, 200)
  })
})

t.test('Forgetting in the background', async (t) => {
  const quiet = { info() {}, warn() {} }

  t.test('deletes the tokens when its time comes', async (t) => {
    const one = await login()
    await addUsedTokens(one, 3)
    const forgetting = keepForgettingLogins(db, quiet, 0)
    forgetting.start()
    await until(async () => (await tokensOf(one)).length === 1)
    await forgetting.stop()
    t.strictSame(await tokensOf(one), [hashOf(one.refresh_token)])
  })

  t.test('logs when it fails', async (t) => {
    const warnings: unknown[] = []
    const log = { ...quiet, warn: (_: unknown, message?: string) => warnings.push(message) }
    const away = db.withSchema('nowhere')
    const forgetting = keepForgettingLogins(away, log, 0)
    forgetting.start()
    await until(() => warnings.length > 0)
    await forgetting.stop()
    t.strictSame(warnings, ['old logins are not deleted'])
  })
})
