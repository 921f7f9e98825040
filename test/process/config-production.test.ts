import { findWarnings, readConfig } from '../../src/process/config.js'
import { faultsOf, namesIn } from '../helpers/config.js'
import { t } from '../helpers/file.js'

const first = 'first secret of more than thirty-two bytes'
const databaseUrl = 'postgres://user:hunter2@localhost/simulations'

t.test('Production needs its own secret', async (t) => {
  t.match(faultsOf({ NODE_ENV: 'production' }), /JWT_SECRET: must be set in production/)
  t.match(faultsOf({ NODE_ENV: 'production', JWT_SECRET: '' }), /JWT_SECRET/)
  const production = { NODE_ENV: 'production', JWT_SECRET: first, DATABASE_URL: databaseUrl }
  t.strictSame(readConfig(production).jwtSecrets, [first])
  t.equal(readConfig({ NODE_ENV: 'development' }).jwtSecrets, null)
})

t.test('Production needs an explicit choice of database', async (t) => {
  const production = { NODE_ENV: 'production', JWT_SECRET: first }
  t.strictSame(namesIn(faultsOf(production)), ['DATABASE_URL'])
  t.match(faultsOf(production), /DATABASE_URL: must be set .* or DATA_DIR for the embedded/)
  t.equal(readConfig({ ...production, DATA_DIR: '/var/lib/x' }).dataDir, '/var/lib/x')
  t.equal(readConfig({ ...production, DATABASE_URL: databaseUrl }).databaseUrl, databaseUrl)
  const misspelt = faultsOf({ ...production, DATABSE_URL: databaseUrl })
  t.match(misspelt, /DATABSE_URL: is not a setting; DATABASE_URL is/)
  t.notMatch(misspelt, 'hunter2')
})

t.test('Production refuses null in CORS_ORIGINS', async (t) => {
  const production = { NODE_ENV: 'production', JWT_SECRET: first, DATABASE_URL: databaseUrl }
  t.match(faultsOf({ ...production, CORS_ORIGINS: 'https://a.example, null' }), /not have null/)
})

t.test('Mails can be printed only outside production', async (t) => {
  const environment = { MAIL_TO_LOG: 'on', APP_URL: 'http://localhost:5173' }
  t.equal(readConfig(environment).mailToLog, true)
  t.equal(readConfig({}).mailToLog, false)
  t.strictSame(namesIn(faultsOf({ MAIL_TO_LOG: 'on' })), ['APP_URL'])
  const production = { NODE_ENV: 'production', JWT_SECRET: first, DATABASE_URL: databaseUrl }
  t.equal(faultsOf(production), '')
  const message = faultsOf({ ...production, ...environment })
  t.strictSame(namesIn(message), ['MAIL_TO_LOG'])
  t.match(message, /in production: a link in a mail opens an account/)
})

t.test('Every NODE_ENV but development and test counts as production', async (t) => {
  const trial = { MAIL_TO_LOG: 'on', APP_URL: 'http://localhost:5173', CORS_ORIGINS: 'null' }
  for (const NODE_ENV of ['prod', 'Production', 'staging', 'Development', 'undefined']) {
    const message = faultsOf({ ...trial, NODE_ENV, DATA_DIR: '/var/lib/x' })
    t.strictSame(namesIn(message), ['JWT_SECRET', 'CORS_ORIGINS', 'MAIL_TO_LOG'], NODE_ENV)
    t.match(message, 'is not valid in production (NODE_ENV is neither development nor test)')
    t.match(findWarnings({ NODE_ENV }), [/in production \(NODE_ENV is neither/])
  }
  for (const NODE_ENV of ['', 'development', 'test']) t.equal(faultsOf({ ...trial, NODE_ENV }), '')
  for (const NODE_ENV of ['', 'development', 'test', 'production']) {
    t.strictSame(findWarnings({ NODE_ENV }), [])
  }
})
