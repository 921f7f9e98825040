import { readdirSync, readFileSync } from 'node:fs'
import { t } from '../helpers/file.js'
import { linesForEveryReader } from '../helpers/lines.js'
import { emptyPlace, person, send, start, stopEverything } from '../helpers/process.js'
import { skipEmbedded } from '../helpers/skips.js'
import { until } from '../helpers/until.js'

t.teardown(stopEverything)

const place = await emptyPlace(t)
const migrations = readdirSync('migrations').length
const deadMailServer = {
  SMTP_URL: 'smtp://127.0.0.1:1',
  MAIL_FROM: 'a@b.example',
  APP_URL: 'http://app',
}
const slips = { DATABASE_POOL_MX: '5', 'BODY_LIMI\u2028T': '9' }
const environment = { ...place, ...deadMailServer, LOG_LEVEL: 'info', ...slips }
const service = start(environment)
const base = await service.address()

t.test('The log shows the database, its version, and what was migrated', async (t) => {
  const [line] = service.lines().filter(({ database }) => database)
  t.match(line, { migrations, applied: migrations, server: /^1[5-9]\.\d+|^[2-9]\d\./ })
  if (place.DATABASE_URL) {
    const { host, pathname, password } = new URL(place.DATABASE_URL)
    t.equal(line.database, `${pathname.slice(1)} at ${host}`)
    t.notMatch(line.database, password || '@')
  } else {
    t.equal(line.database, `embedded in ${place.DATA_DIR}`)
  }
  t.equal(
    line.msg,
    `Database: ${line.database}, PostgreSQL ${line.server}, ${migrations} migrations, ${migrations} of them new`,
  )
})

t.test('The log says each step of a first start, before the step is done', async (t) => {
  const steps = service.lines().map(({ msg }) => msg)
  const embedded = [`Making the embedded database in ${place.DATA_DIR}, which takes a while`]
  const expected = [
    ...(place.DATABASE_URL ? [] : embedded),
    `Migrating the database, new migrations: ${migrations}`,
  ]
  const done = steps.findIndex((text) => text.startsWith('Database: '))
  t.strictSame(steps.slice(done - expected.length, done), expected)
})

t.test('The log shows the version of the service', async (t) => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  const [line] = service.lines().filter(({ address }) => address)
  t.match(line, { version, msg: `Workplace simulation service ${version}: ${base}` })
})

t.test('The log reports a variable that looks misspelt', async (t) => {
  const [line] = service.lines().filter(({ level }) => level === 40)
  t.equal(line.msg, 'DATABASE_POOL_MX: is not a setting; DATABASE_POOL_MAX is')
})

t.test('The log has one line for each entry, for every reader of lines', async (t) => {
  const lines = linesForEveryReader(service.output()).map((line) => JSON.parse(line))
  const msg = 'BODY_LIMI\u2028T: is not a setting; BODY_LIMIT is'
  t.match(lines.filter(({ level }) => level === 40)[1], { msg })
})

t.test('A process that dies is reported and replaced', { skip: skipEmbedded }, async (t) => {
  const several = start({ ...environment, WEB_CONCURRENCY: '2' })
  const address = await several.address()
  const workers = () => several.lines().filter(({ msg }) => /^Documentation/.test(msg))
  const waitForWorkers = async (count: number) => {
    await until(() => workers().length >= count)
    t.equal(workers().length, count)
  }
  await waitForWorkers(2)
  const [{ pid }] = workers()
  process.kill(pid, 'SIGKILL')
  await several.says(/"(a process died and is replaced)"/)
  const [line] = several.lines().filter(({ level }) => level === 50)
  t.match(line, { worker: pid, signal: 'SIGKILL' })
  await waitForWorkers(3)
  t.equal((await fetch(`${address}/health`)).status, 200)
  several.process.kill('SIGTERM')
  t.match(await several.exit, { code: 0 })
})

t.test('The log has a line for each request with its id, but none for probes', async (t) => {
  for (const probe of ['/health', '/ready']) t.equal((await fetch(base + probe)).status, 200)
  await fetch(`${base}/api/v1/users`, { headers: { 'x-request-id': 'call-7' } })
  await service.says(/("call-7")/)
  const requests = service.lines().filter(({ msg }) => msg === 'request')
  t.match(requests, [{ request_id: 'call-7', path: '/api/v1/users', status: 401 }])
  t.equal(requests.length, 1)
})

t.test('The log has only the beginning of a long path', async (t) => {
  const path = `/api/v1/${'x'.repeat(10_000)}`
  await fetch(base + path, { headers: { 'x-request-id': 'call-8' } })
  await service.says(/("call-8")/)
  const line = service.lines().find(({ request_id }) => request_id === 'call-8')
  t.match(line, { path: path.slice(0, 200), status: 404 })
})

t.test('The log shows the requests whose letters could not be sent', async (t) => {
  const withRequestId = (id: string) => ({ 'x-request-id': id })
  const ada = { email: 'ada@log.example' }
  await send(base, '/auth/register', person(ada.email), '', withRequestId('call-9'))
  await service.says(/("call-9"[^\n]*"mail could not be sent")/)
  await send(base, '/auth/request-password-reset', ada, '', withRequestId('call-10'))
  await service.says(/("call-10"[^\n]*"mail could not be sent")/)
  const letters = service.lines().filter(({ msg }) => msg === 'mail could not be sent')
  t.match(letters, [{ request_id: 'call-9' }, { request_id: 'call-10' }])
})

t.test(
  'The log reports the stop, and at the next start that there was nothing to migrate',
  async (t) => {
    service.process.kill('SIGTERM')
    t.match(await service.exit, { code: 0 })
    t.match(service.lines().slice(-2), [{ msg: 'stopping', signal: 'SIGTERM' }, { msg: 'stopped' }])

    const again = start({ ...place, LOG_LEVEL: 'debug', RATE_LIMIT: 'on' })
    await fetch(`${await again.address()}/ready`)
    await again.says(/("path":"\/ready")/)
    const lines = again.lines()
    const probe = lines.find(({ path }) => path === '/ready')
    t.match(probe, { level: 20, status: 200 }, 'the level debug shows the probes as well')
    const database = lines.find((line) => line.database)
    t.match(database, { migrations, applied: 0 }, 'nothing is migrated again')
    t.notMatch(again.output(), /Making the|Migrating the/)
    const take = async (id: string) => {
      const headers = { 'x-request-id': id }
      const address = `${await again.address()}/api/v1/simulation/seats/take`
      return (await fetch(address, { method: 'POST', headers })).status
    }
    await until(async () => (await take('call-11')) === 429)
    await again.says(/("call-11"[^\n]*"status":429)/)
    const refused = again.lines().filter(({ status }) => status === 429)
    t.match(refused, [{ level: 20 }], 'one caller cannot fill the disk with refused requests')
    again.process.kill('SIGTERM')
    await again.exit
  },
)
