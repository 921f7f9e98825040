import { isDeepStrictEqual } from 'node:util'
import { t } from '../helpers/file.js'
import {
  beginRegistration,
  emptyPlace,
  password,
  person,
  refusesConnections,
  send,
  start,
  stopEverything,
} from '../helpers/process.js'
import { skipEmbedded } from '../helpers/skips.js'
import { until } from '../helpers/until.js'

t.teardown(stopEverything)

const place = { ...(await emptyPlace(t)), JWT_SECRET: 'a-secret-for-tests-32-bytes-long' }

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** The status of any request. */
async function status(url: string, headers: Record<string, string>, method = 'GET', body?: object) {
  const json = { 'content-type': 'application/json', ...headers }
  const init = body ? { headers: json, body: JSON.stringify(body) } : { headers }
  return (await fetch(url, { method, ...init })).status
}

/** Logs in with a wrong password on a new connection, so any process may take it. */
const guess = (base: string, email: string) =>
  status(`${base}/api/v1/auth/login`, { connection: 'close' }, 'POST', {
    email,
    password: 'a wrong password',
  })

const count = (statuses: number[], wanted: number) =>
  statuses.filter((status) => status === wanted).length

t.test('An embedded database has one process', async (t) => {
  const { code, output } = await start({ DATA_DIR: t.testdir(), WEB_CONCURRENCY: '2' }).exit
  t.equal(code, 1)
  t.match(output, 'WEB_CONCURRENCY: ')
})

t.test('Two services on one database', { skip: skipEmbedded }, async (t) => {
  const services = [1, 2].map(() => start({ ...place, RATE_LIMIT: 'on' }))
  const [one = '', other = ''] = await Promise.all(services.map(({ address }) => address()))
  const starts = services.map((service) => service.lines().find(({ applied }) => applied >= 0))

  t.test('migrate it once when they start concurrently', async (t) => {
    const [{ migrations }] = starts
    t.ok(migrations > 0)
    t.strictSame(starts.map(({ applied }) => applied).sort(), [0, migrations])
  })

  const { body: ada } = await send(one, '/auth/register', person('ada@two.example'))
  const { organization_id, access_token: token } = ada

  t.test('allow ten wrong guesses together', async (t) => {
    const tom = { first_name: 'Tom', last_name: 'Herrera', email: 'tom@two.example' }
    const { status, body } = await send(one, `/users/invite/${organization_id}`, tom, token)
    t.equal(status, 201)
    for (const base of [one, one, other, one, other, other, one, one, other, one]) {
      t.equal(await guess(base, tom.email), 401)
    }
    const right = { email: tom.email, password: body.temporary_password }
    for (const base of [one, other]) {
      t.equal(await guess(base, tom.email), 429)
      t.equal((await send(base, '/auth/login', right)).status, 429)
      t.equal(await guess(base, 'somebody.else@two.example'), 401)
    }
  })

  t.test('allow ten wrong guesses together also in a concurrent burst', async (t) => {
    const email = 'nobody@two.example'
    const guesses = Array.from({ length: 30 }, (_, i) => guess(i % 2 ? one : other, email))
    const statuses = await Promise.all(guesses)
    t.equal(count(statuses, 401), 10)
    t.equal(count(statuses, 429), 20)
  })

  t.test('apply what is changed at the other one, without a restart', async (t) => {
    const invite = async (name: string, access_level: string) => {
      const invitation = { first_name: name, last_name: 'Tan', access_level }
      const email = `${name}@two.example`
      const path = `/users/invite/${organization_id}`
      const { body } = await send(one, path, { ...invitation, email }, token)
      return { email, user_id: body.user._id, secret: body.temporary_password }
    }
    const createMember = async (name: string, access_level: string) => {
      const { email, user_id, secret } = await invite(name, access_level)
      const login = await send(one, '/auth/login', { email, password: secret })
      const change = { current_password: secret, new_password: password }
      const path = '/auth/change-password'
      const { body } = await send(one, path, change, login.body.access_token)
      return { user_id, token: body.access_token }
    }
    const demoted = await createMember('demoted', 'admin')
    const inactive = await createMember('inactive', 'employee')
    const gone = await createMember('gone', 'employee')
    const bot = await invite('bot', 'bot')
    const keys = `/bots/${bot.user_id}/api-keys`
    const { body: key } = await send(one, keys, { name: 'Runtime' }, token)
    const events = `/admin/simulation/audit-events/${organization_id}`
    const atOther = `${other}/api/v1`
    const answers = async () => [
      await status(atOther + events, bearer(demoted.token)),
      await status(`${atOther}/auth/me`, bearer(inactive.token)),
      await status(`${atOther}/auth/me`, bearer(gone.token)),
      await status(`${atOther}/users`, { 'x-api-key': key.api_key }),
    ]
    t.strictSame(await answers(), [200, 200, 200, 200])

    const users = `${one}/api/v1/users`
    const admin = bearer(token)
    const changes = [
      await status(`${users}/${demoted.user_id}`, admin, 'PATCH', { role: 'hr' }),
      await status(`${users}/${inactive.user_id}`, admin, 'PATCH', { is_active: false }),
      await status(`${one}/api/v1/auth/logout`, bearer(gone.token), 'POST'),
      await status(`${one}/api/v1${keys}/${key._id}`, admin, 'DELETE'),
    ]
    t.strictSame(changes, [200, 200, 204, 204])
    const expected = [403, 401, 401, 401]
    await until(async () => isDeepStrictEqual(await answers(), expected))
    t.strictSame(await answers(), expected, 'the answers stay the same')
  })
})

t.test('Several processes serve one address', { skip: skipEmbedded }, async (t) => {
  const service = start({ ...place, WEB_CONCURRENCY: '2', RATE_LIMIT: 'on' })
  const base = await service.address()
  /** Waits until this number of processes have listened. Returns their ids. */
  const listeners = async (count: number) => {
    await service.says(new RegExp(`()(?:Server listening[^]*){${count}}`))
    const lines = service.output().matchAll(/"pid":(\d+)[^\n]*Server listening/g)
    return [...lines].map(([, pid]) => Number(pid))
  }
  const [first = 0, second] = await listeners(2)
  t.not(first, second, 'two processes')
  const guesses = Array.from({ length: 30 }, () => guess(base, 'burst@two.example'))
  t.equal(count(await Promise.all(guesses), 401), 10, 'they count wrong guesses together')
  const guessed = service.lines().filter(({ path }) => path === '/api/v1/auth/login')
  t.equal(new Set(guessed.map(({ pid }) => pid)).size, 2, 'each process gets some of them')

  process.kill(first, 'SIGKILL')
  const [, , third = 0] = await listeners(3)
  t.ok(third > 0, 'a process that dies is replaced')
  const death = service.lines().find(({ worker }) => worker === first)
  t.match(death, { level: 50, signal: 'SIGKILL', pid: service.process.pid }, 'its death is logged')

  const finish = await beginRegistration(base, 'cluster@one.example')
  const all = [service.process.pid, second, third].map(Number)
  for (const pid of all) process.kill(pid, 'SIGINT')
  t.ok(await refusesConnections(base))
  t.equal(await finish(), 201, 'a Ctrl+C reaches all of them and interrupts no request')
  t.match(await service.exit, { code: 0, signal: null })
})
