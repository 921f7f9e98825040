import { createHmac } from 'node:crypto'
import { buildApp } from '../../src/app.js'
import { createOpaqueToken } from '../../src/identity/opaque-token.js'
import { readConfig } from '../../src/process/config.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'

const { app, call, db, registerAdmin, addMember } = await startService(t)
const secret = 'a secret for tests, 32 bytes long'
const admin = await registerAdmin()

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const decode = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString())
const claims = decode(admin.token.split('.')[1])

/** A token as the service makes it, except for what the test changes. */
function craft(payload: object, key = secret, header: object = { alg: 'HS256', typ: 'JWT' }) {
  const signed = `${encode(header)}.${encode(payload)}`
  const hash = 'alg' in header && header.alg === 'HS512' ? 'sha512' : 'sha256'
  return `${signed}.${createHmac(hash, key).update(signed).digest('base64url')}`
}
const listUsers = (token: string) => call('listUsers', { token })
const refusal = { detail: 'Could not validate credentials', code: 'invalid_token' }

t.test('An access token', async (t) => {
  t.test('is accepted when it was made by hand and is correct', async (t) => {
    t.equal((await listUsers(craft(claims))).status, 200)
  })

  const [head = '', payload = '', signature = ''] = admin.token.split('.')
  const now = Math.floor(Date.now() / 1000)
  const refused: Record<string, string> = {
    'of a few letters': 'nonsense',
    'without a signature': `${head}.${payload}.`,
    'with another signature': `${head}.${payload}.${signature.split('').reverse().join('')}`,
    'with another role under the same signature': `${head}.${encode({ ...claims, role: 'super_admin' })}.${signature}`,
    'with "alg": "none"': `${encode({ alg: 'none', typ: 'JWT' })}.${payload}.`,
    'with "alg": "none" and a signature': craft(claims, secret, { alg: 'none', typ: 'JWT' }),
    'with another algorithm': craft(claims, secret, { alg: 'HS512', typ: 'JWT' }),
    'signed with another secret': craft(claims, 'another secret for tests, 32 bytes'),
    'signed with an empty secret': craft(claims, ''),
    'that has expired': craft({ ...claims, iat: now - 7200, exp: now - 3600 }),
    'of another issuer': craft({ ...claims, iss: 'somebody else' }),
    'for another audience': craft({ ...claims, aud: 'something else' }),
    'of a user in another organization': craft({ ...claims, org: claims.jti }),
    'of a session that does not exist': craft({ ...claims, sid: claims.jti }),
    'of a user who does not exist': craft({ ...claims, sub: claims.jti }),
  }
  for (const name of ['iss', 'aud', 'sub', 'org', 'role', 'sid', 'iat', 'exp', 'jti']) {
    refused[`without the claim ${name}`] = craft({ ...claims, [name]: undefined })
  }
  for (const [description, token] of Object.entries(refused)) {
    t.test(`${description} is refused`, async (t) => {
      app.authenticator.invalidate(admin.user_id)
      const { status, headers, body } = await listUsers(token)
      t.equal(status, 401)
      t.equal(headers.get('www-authenticate'), 'Bearer')
      t.strictSame(body, refusal)
    })
  }

  for (const authorization of ['', 'Bearer', 'Bearer ', `Basic ${admin.token}`, admin.token]) {
    const shown = authorization.slice(0, 12)
    t.test(`is missing when the header is "${shown}"`, async (t) => {
      const { status, headers, body } = await call('listUsers', { headers: { authorization } })
      t.equal(status, 401)
      t.equal(headers.get('www-authenticate'), 'Bearer')
      t.strictSame(body, { detail: 'Not authenticated', code: 'not_authenticated' })
    })
  }

  t.test('is accepted with "Bearer" in any case', async (t) => {
    const headers = { authorization: `bEARER ${admin.token}` }
    t.equal((await call('listUsers', { headers })).status, 200)
  })

  t.test('is valid as long as ACCESS_TOKEN_TTL says', async (t) => {
    const other = await serviceWith([secret], { ACCESS_TOKEN_TTL: '60' })
    const { access_token, expires_in } = grantBy(other)
    const { iat, exp } = decode(access_token.split('.')[1])
    t.strictSame([expires_in, exp - iat], [60, 60])
  })
})

t.test('The access of a token', async (t) => {
  const { organization_id } = admin
  const params = { organization_id }

  t.test('ends while its user is inactive, and returns afterwards', async (t) => {
    const member = await addMember(organization_id, 'employee')
    t.equal((await listUsers(member.token)).status, 200)
    for (const [is_active, status] of [
      [false, 401],
      [true, 200],
    ] as const) {
      await db.updateTable('users').set({ is_active }).where('_id', '=', member.user_id).execute()
      app.authenticator.invalidate(member.user_id)
      t.equal((await listUsers(member.token)).status, status)
    }
  })

  t.test('ends when its user is deleted', async (t) => {
    const member = await addMember(organization_id, 'employee')
    t.equal((await listUsers(member.token)).status, 200)
    await db.deleteFrom('users').where('_id', '=', member.user_id).execute()
    app.authenticator.invalidate(member.user_id)
    const { status, body } = await listUsers(member.token)
    t.equal(status, 401)
    t.strictSame(body, refusal)
  })

  t.test('follows the current role, not the one in the token', async (t) => {
    const member = await addMember(organization_id, 'admin')
    const branding = () => call('updateBranding', { token: member.token, params, body: {} })
    t.equal((await branding()).status, 200)
    await db.updateTable('users').set({ role: 'hr' }).where('_id', '=', member.user_id).execute()
    app.authenticator.invalidate(member.user_id)
    t.equal((await branding()).status, 403)

    const promoted = craft({ ...decode(member.token.split('.')[1]), role: 'super_admin' })
    t.equal((await call('updateBranding', { token: promoted, params, body: {} })).status, 403)
  })

  t.test('is still found when the user changes during the check', async (t) => {
    const member = await addMember(organization_id, 'hr')
    const { sub, sid } = decode(member.token.split('.')[1])
    const finding = app.authenticator.ofSession({ sub, sid, org: organization_id, role: 'hr' })
    app.authenticator.invalidate(sub)
    t.match(await finding, { user_id: sub, role: 'hr' })
  })
})

t.test('A list of secrets', async (t) => {
  const newer = 'the newer secret for tests, 32 bytes'
  const rotating = await serviceWith([newer, secret])
  const rotated = await serviceWith([newer])
  const status = async (service: typeof app, token: string) => {
    const headers = { authorization: `Bearer ${token}` }
    return (await service.inject({ url: '/api/v1/users', headers })).statusCode
  }
  const issued = grantBy(rotating).access_token

  t.test('verifies with all of them', async (t) => {
    t.equal(await status(rotating, admin.token), 200)
    t.equal(await status(rotating, issued), 200)
    t.equal(await status(rotating, craft(claims, 'a third secret for tests, 32 bytes')), 401)
  })

  t.test('signs with the first', async (t) => {
    t.equal(await status(rotated, issued), 200)
    t.equal((await listUsers(issued)).status, 401)
  })

  t.test('no longer accepts a removed secret', async (t) => {
    t.equal(await status(rotated, admin.token), 401)
  })
})

/** Tokens for the admin's session, signed by one of the services. */
function grantBy({ tokens }: typeof app) {
  const user = { ...admin, _id: admin.user_id, role: 'admin' as const }
  const session = { _id: claims.sid, expires_at: '9999-01-01T00:00:00.000Z' }
  return tokens.grant(user, session, createOpaqueToken(admin.organization_id))
}

/** Starts another service on the same database. To a caller, it is another process. */
async function serviceWith(jwtSecrets: string[], environment: Record<string, string> = {}) {
  const config = readConfig({ LOG_LEVEL: 'silent', RATE_LIMIT: 'off', ...environment })
  const service = await buildApp({ config, db, jwtSecrets })
  t.teardown(() => service.close())
  return service
}
