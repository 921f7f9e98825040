import { randomUUID } from 'node:crypto'
import argon2 from 'argon2'
import { t } from '../helpers/file.js'
import { type Answer, auditEvents, startService } from '../helpers/service.js'

const { call, db, registerAdmin } = await startService(t)
const password = 'correct horse battery staple'
const names = { organization_name: 'Acme', first_name: 'Ada', last_name: 'Okafor' }
/** 19 MiB, two passes, one lane, in any order of the fields. */
const strong = /^\$argon2id\$v=19\$(?=[^$]*m=19456)(?=[^$]*t=2\b)(?=[^$]*p=1\b)/
const someEmail = () => `${randomUUID()}@example.com`
const required = () => ({ email: someEmail(), password, ...names })
const register = (fields: Record<string, unknown>) =>
  call('register', { body: { ...required(), ...fields } })
const login = (email: string, secret = password) =>
  call('login', { body: { email, password: secret } })
const faultsOf = ({ body }: Answer) =>
  body.detail.map(({ loc, type }: { loc: string[]; type: string }) => [loc.join('.'), type])

t.test('register', async (t) => {
  t.test('answers with a bearer token for the admin of a new organization', async (t) => {
    const { status, headers, body } = await register({ email: `ada@${randomUUID()}.example` })
    t.equal(status, 201)
    t.match(body, { username: 'ada', role: 'admin', token_type: 'bearer', expires_in: 3600 })
    t.match(headers.get('content-type'), /^application\/json/)
    t.equal(headers.get('cache-control'), 'no-store')

    const users = await call('listUsers', { token: body.access_token })
    t.equal(users.status, 200)
    t.match(users.body, [{ _id: body.user_id, organization_id: body.organization_id }])
    t.equal(users.body.length, 1)
  })

  t.test('needs no Authorization header and ignores a wrong one', async (t) => {
    t.equal((await call('register', { token: 'nonsense', body: required() })).status, 201)
  })

  t.test('signs a token with its user, its issue time and its expiry', async (t) => {
    const { body } = await register({})
    const [head, payload] = body.access_token.split('.')
    const parse = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
    t.equal(parse(head).alg, 'HS256')
    const claims = parse(payload)
    t.match(claims, { sub: body.user_id, org: body.organization_id, role: 'admin' })
    t.equal(claims.exp - claims.iat, 3600)
    for (const name of ['iss', 'aud', 'jti']) t.type(claims[name], 'string', name)
  })

  t.test('creates two organizations when two people give the same name', async (t) => {
    const [first, second] = [await registerAdmin(), await registerAdmin()]
    t.not(first.organization_id, second.organization_id)
    const { body } = await call('listUsers', { token: second.token })
    t.strictSame(
      body.map(({ _id }: { _id: string }) => _id),
      [second.user_id],
    )
  })

  t.test('reports all missing required fields together', async (t) => {
    const answer = await call('register', { body: {} })
    t.equal(answer.status, 422)
    t.strictSame(
      faultsOf(answer).sort(),
      Object.keys(required())
        .map((name) => [`body.${name}`, 'missing'])
        .sort(),
    )
  })

  for (const [name, value, type] of [
    ['email', 'nobody@', 'value_error'],
    ['email', 'no at sign', 'value_error'],
    ['email', 'two@at@signs', 'value_error'],
    ['email', `${'x'.repeat(250)}@y.zz`, 'string_too_long'],
    ['email', null, 'string_type'],
    ['password', '1234567', 'string_too_short'],
    ['password', 'x'.repeat(129), 'string_too_long'],
    ['organization_name', '', 'string_too_short'],
    ['organization_name', '  ', 'string_pattern_mismatch'],
    ['organization_name', null, 'string_type'],
    ['first_name', '', 'string_too_short'],
    ['last_name', 7, 'string_type'],
    ['phone', 7, 'string_type'],
    ['education', {}, 'list_type'],
    ['skills', Array(51).fill('x'), 'too_long'],
    ['hobbies', null, 'list_type'],
    ['experience', Array(51).fill({}), 'too_long'],
    ['certifications', Array(51).fill({}), 'too_long'],
  ] as const) {
    const shown = String(JSON.stringify(value)).slice(0, 20)
    t.test(`refuses ${shown} as ${name} with ${type}`, async (t) => {
      const answer = await register({ [name]: value })
      t.equal(answer.status, 422)
      t.match(faultsOf(answer), [[`body.${name}`, type]])
    })
  }

  t.test('accepts the shortest and longest e-mail addresses and passwords', async (t) => {
    const longest = `${'x'.repeat(249)}@y.zz`
    t.equal((await register({ email: 'x@y', password: '12345678' })).status, 201)
    t.equal((await register({ email: longest, password: 'x'.repeat(128) })).status, 201)
    t.equal((await login('x@y', '12345678')).status, 200)
    t.equal((await login(longest, 'x'.repeat(128))).status, 200)
  })

  t.test('trims the e-mail address and accepts it once, in upper or lower case', async (t) => {
    const email = `Mixed.${randomUUID()}@Example.com`
    const first = await register({ email: `  ${email}\n` })
    t.equal(first.status, 201)
    const { body: users } = await call('listUsers', { token: first.body.access_token })
    t.equal(users[0].email, email)
    for (const again of [email, email.toUpperCase(), `${email.toLowerCase()} `]) {
      const { status, body } = await register({ email: again })
      t.equal(status, 409)
      t.equal(body.code, 'email_exists')
    }
  })

  t.test('accepts exactly one of fifty concurrent registrations of an address', async (t) => {
    const email = someEmail()
    const organization_name = randomUUID()
    const fields = { email, organization_name }
    const answers = await Promise.all(Array.from({ length: 50 }, () => register(fields)))
    const statuses = answers.map(({ status }) => status).sort()
    t.strictSame(statuses, [201, ...Array(49).fill(409)])
    const made = db.selectFrom('organizations').select('_id').where('name', '=', organization_name)
    t.equal((await made.execute()).length, 1)
  })

  t.test('stores the password only as argon2id, and keeps it out of audit events', async (t) => {
    const secret = `secret ${randomUUID()}`
    const admin = await registerAdmin({ password: secret })
    const { password_hash } = await db
      .selectFrom('credentials')
      .select('password_hash')
      .where('user_id', '=', admin.user_id)
      .executeTakeFirstOrThrow()
    t.match(password_hash, strong)
    t.ok(await argon2.verify(password_hash, secret))

    const events = await auditEvents(call, admin)
    const { user_id: actor_id } = admin
    t.match(events.map(({ category, event_type }) => `${category}.${event_type}`).sort(), [
      'auth.user_registered',
      'organization.organization_created',
    ])
    for (const event of events) t.match(event, { actor_type: 'user', actor_id, status: 'success' })
    t.notMatch(JSON.stringify(events), /secret|argon2|password/)
  })

  t.test('gives the branding the name of the organization', async (t) => {
    const { token, organization_id } = await registerAdmin({ organization_name: '  Nord & Söhne ' })
    const params = { organization_id }
    const { body } = await call('updateBranding', { token, params, body: {} })
    t.equal(body.company_name, 'Nord & Söhne')
  })
})
