import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { t } from '../helpers/file.js'
import {
  beginRegistration,
  outputs,
  password,
  person,
  placeWithDatabase,
  refusesConnections,
  secrets,
  send,
  start,
  stopEverything,
} from '../helpers/process.js'

t.teardown(stopEverything)

const place = await placeWithDatabase(t, { isMigrated: true })

t.test(
  'The service keeps what it acknowledged, whatever ends it, and logs no secret',
  async (t) => {
    const accounts: { email: string; token: string }[] = []
    const register = async (base: string, email: string) => {
      const { status, body } = await send(base, '/auth/register', person(email))
      if (status !== 201) throw new Error(`Registration: ${status}`)
      accounts.push({ email, token: body.access_token })
      secrets.push(body.access_token)
      return body
    }
    /** Checks that every acknowledged account is still there. */
    const checkAccounts = async (base: string) => {
      for (const { email, token } of accounts) {
        const users = await send(base, '/users', undefined, token)
        t.match(users, { status: 200, body: [{ email }] }, 'with the token from before')
        const login = await send(base, '/auth/login', { email, password })
        t.equal(login.status, 200, 'with the password')
        secrets.push(login.body.access_token)
      }
    }

    const before = outputs.length
    const first = start(place)
    const base = await first.address()
    t.equal(await first.says(/"Documentation: (http:[^"]+)"/), `${base}/docs`)
    t.equal((await fetch(`${base}/docs`)).status, 200)
    t.strictSame(await (await fetch(`${base}/ready`)).json(), { status: 'ready' })
    const { organization_id, access_token } = await register(base, 'ada@one.example')
    const invitation = { first_name: 'Tom', last_name: 'Herrera', email: 'tom@one.example' }
    const { body } = await send(base, `/users/invite/${organization_id}`, invitation, access_token)
    secrets.push(body.temporary_password)
    const wrong = { email: 'ada@one.example', password: 'a wrong password' }
    t.equal((await send(base, '/auth/login?api_key=of-somebody', wrong)).status, 401)
    secrets.push('of-somebody')

    const finishFirst = await beginRegistration(base, 'late@one.example')
    first.process.kill('SIGTERM')
    t.ok(await refusesConnections(base), 'new connections are refused after SIGTERM')
    t.equal(await finishFirst(), 201, 'a request in flight is served')
    t.match(await first.exit, { code: 0, signal: null })

    const killed = start(place)
    await checkAccounts(await killed.address())
    const registrations = Array.from({ length: 8 }, async (_, i) =>
      register(await killed.address(), `${i}@killed.example`),
    )
    await Promise.any(registrations)
    killed.process.kill('SIGKILL')
    t.match(await killed.exit, { code: null, signal: 'SIGKILL' })
    await Promise.allSettled(registrations)

    const again = start(place)
    await checkAccounts(await again.address())
    if (!place.DATABASE_URL) {
      const { code, output } = await start(place).exit
      t.equal(code, 1, 'a second service on the same data is refused')
      t.match(output, new RegExp(`in use by process ${again.process.pid}\\b.*DATA_DIR`))
      await checkAccounts(await again.address())
    }
    const finish = await beginRegistration(await again.address(), 'later@one.example')
    for (const signal of ['SIGINT', 'SIGINT', 'SIGTERM', 'SIGINT'] as const) {
      again.process.kill(signal)
      t.ok(await refusesConnections(await again.address()), signal)
    }
    t.equal(await finish(), 201, 'a request in flight is served after any number of signals')
    t.match(await again.exit, { code: 0, signal: null })

    secrets.push(readFileSync(join(place.DATA_DIR, 'jwt-secret'), 'utf8'))
    t.ok(secrets.every((secret) => secret.length > 8))
    const log = outputs.slice(before).join('')
    t.match(log, '/api/v1/auth/register', 'the log shows the requests')
    t.notMatch(log, /authorization|bearer/i)
    for (const line of log.trim().split('\n')) t.type(JSON.parse(line), Object)
    const leaked = secrets.filter((secret) => log.includes(secret))
    t.strictSame(leaked, [], 'and no secret')
  },
)

t.test('A configuration with faults ends the process and reports all of them', async (t) => {
  const service = start({ PORT: 'http', LOG_LEVEL: 'loud', BODY_LIMIT: '1' })
  const { code, output } = await service.exit
  t.equal(code, 1)
  for (const name of ['PORT', 'LOG_LEVEL', 'BODY_LIMIT']) t.match(output, `${name}: must be`)
  t.notMatch(output, /loud\b|\bat .*\.js/, 'without values and without a stack')
  t.match(service.lines(), [{ level: 60 }], 'in one line')
})

t.test('A missing database ends the process with a message', async (t) => {
  const missing = {
    DATABASE_URL: 'postgres://nobody:hunter22@127.0.0.1:1/x',
    DATA_DIR: t.testdir(),
  }
  for (const WEB_CONCURRENCY of ['1', '2']) {
    const service = start({ ...missing, WEB_CONCURRENCY })
    const { code, output } = await service.exit
    t.equal(code, 1)
    t.match(output, 'ECONNREFUSED')
    t.notMatch(output, 'hunter22')
    for (const line of service.lines()) t.match(line, { level: 60, msg: /ECONNREFUSED/ })
  }
})
