import { t } from '../helpers/file.js'
import { skipWithoutPooler as skip, startPooler } from '../helpers/pooler.js'
import { emptyPlace, person, send, start, stopEverything } from '../helpers/process.js'

t.teardown(stopEverything)

const settings = {
  DATABASE_PREPARED_STATEMENTS: 'off',
  JWT_SECRET: 'a secret of at least thirty-two characters',
}

t.test('Behind a pooler that gives each transaction another connection', { skip }, async (t) => {
  const { DATABASE_URL: direct = '', DATA_DIR } = await emptyPlace(t)
  const DATABASE_URL = await startPooler(t, direct)
  const place = { ...settings, DATA_DIR, DATABASE_URL }

  t.test('a service without an address of PostgreSQL itself does not start', async (t) => {
    const { code, output } = await start(place).exit
    t.equal(code, 1)
    t.match(output, /The connection leads to a pooler.*Set DATABASE_MIGRATION_URL/)
  })

  t.test('several services start at once on an empty database', async (t) => {
    const services = [1, 2, 3].map(() => start({ ...place, DATABASE_MIGRATION_URL: direct }))
    const addresses = await Promise.all(services.map((service) => service.address()))
    const [first = '', ...others] = addresses
    const { status, body } = await send(first, '/auth/register', person('ada@pooler.example'))
    t.equal(status, 201)
    for (const base of others) {
      t.match(await send(base, '/users', undefined, body.access_token), {
        status: 200,
        body: [{ email: 'ada@pooler.example' }],
      })
    }
    for (const service of services) service.process.kill('SIGTERM')
    for (const { exit } of services) t.equal((await exit).code, 0)
  })

  t.test('a service that would migrate another database does not start', async (t) => {
    const { DATABASE_URL: empty = '' } = await emptyPlace(t)
    const pooled = new URL(DATABASE_URL)
    pooled.pathname = new URL(empty).pathname
    const other = { ...place, DATABASE_URL: pooled.href, DATABASE_MIGRATION_URL: direct }
    const { code, output } = await start(other).exit
    t.equal(code, 1)
    t.match(output, /DATABASE_MIGRATION_URL leads to another database than DATABASE_URL/)
  })
})
