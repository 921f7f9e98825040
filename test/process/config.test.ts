import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findMisspellings, readConfig } from '../../src/process/config.js'
import { faultsOf, namesIn } from '../helpers/config.js'
import { t } from '../helpers/file.js'

const defaults = {
  host: '127.0.0.1',
  port: 3000,
  databaseUrl: null,
  dataDir: '.data',
  catalogueDir: null,
  databasePoolMax: 10,
  databasePreparedStatements: true,
  jwtSecrets: null,
  accessTokenTtl: 3600,
  corsOrigins: [],
  trustProxy: false,
  logLevel: 'info',
  bodyLimit: 1_048_576,
  rateLimit: true,
  webConcurrency: 1,
  drainSeconds: 0,
  defaultLimits: {},
}
const first = 'first secret of more than thirty-two bytes'
const second = 'second secret of more than thirty-two bytes'
const databaseUrl = 'postgres://user:hunter2@localhost/simulations'

t.test('An empty environment gives the defaults', async (t) => {
  t.strictSame(pick(readConfig({})), defaults)
})

t.test('An empty variable counts as unset', async (t) => {
  const names = ['HOST', 'PORT', 'DATABASE_URL', 'DATA_DIR', 'DATABASE_POOL_MAX', 'JWT_SECRET']
  const more = ['ACCESS_TOKEN_TTL', 'CORS_ORIGINS', 'TRUST_PROXY', 'LOG_LEVEL', 'BODY_LIMIT']
  const switches = ['RATE_LIMIT', 'DATABASE_PREPARED_STATEMENTS', 'CATALOGUE_DIR']
  const all = [...names, ...more, ...switches, 'WEB_CONCURRENCY', 'DRAIN_SECONDS', 'NODE_ENV']
  t.strictSame(pick(readConfig(Object.fromEntries(all.map((name) => [name, ''])))), defaults)
})

t.test('Every variable has its effect', async (t) => {
  const environment = {
    HOST: '0.0.0.0',
    PORT: '8080',
    DATABASE_URL: databaseUrl,
    DATA_DIR: '/var/lib/simulations',
    CATALOGUE_DIR: '/etc/simulations',
    DATABASE_POOL_MAX: '25',
    DATABASE_PREPARED_STATEMENTS: 'off',
    JWT_SECRET: `${first}, ${second}\n`,
    ACCESS_TOKEN_TTL: '900',
    CORS_ORIGINS: 'https://app.example, https://admin.example',
    TRUST_PROXY: '10.0.0.0/8',
    LOG_LEVEL: 'debug',
    BODY_LIMIT: '2048',
    RATE_LIMIT: 'off',
    WEB_CONCURRENCY: '4',
    DRAIN_SECONDS: '20',
    DEFAULT_LIMITS: '{"people":7,"exports":0}',
  }
  t.strictSame(pick(readConfig({ ...environment, UNRELATED: 'x', NODE_ENV: 'production' })), {
    host: '0.0.0.0',
    port: 8080,
    databaseUrl,
    dataDir: '/var/lib/simulations',
    catalogueDir: '/etc/simulations',
    databasePoolMax: 25,
    databasePreparedStatements: false,
    jwtSecrets: [first, second],
    accessTokenTtl: 900,
    corsOrigins: ['https://app.example', 'https://admin.example'],
    trustProxy: '10.0.0.0/8',
    logLevel: 'debug',
    bodyLimit: 2048,
    rateLimit: false,
    webConcurrency: 4,
    drainSeconds: 20,
    defaultLimits: { people: 7, exports: 0 },
  })
  t.match(readConfig({}), { registrationIsOpen: true, registrationsPerDay: 100 })
  const registration = readConfig({ REGISTRATION: 'off', REGISTRATIONS_PER_DAY: '5' })
  t.match(registration, { registrationIsOpen: false, registrationsPerDay: 5 })
  t.strictSame(readConfig({ CORS_ORIGINS: 'null' }).corsOrigins, ['null'])
  t.equal(readConfig({ TRUST_PROXY: 'on' }).trustProxy, 1)
  t.equal(readConfig({ TRUST_PROXY: '3' }).trustProxy, 3)
  t.equal(readConfig({ TRUST_PROXY: 'off' }).trustProxy, false)
  for (const proxies of ['::1', 'loopback, 192.0.2.7', 'fd00::/8,linklocal,uniquelocal']) {
    t.equal(readConfig({ TRUST_PROXY: proxies }).trustProxy, proxies)
  }
})

const file = fileURLToPath(import.meta.url)
const mail = {
  SMTP_URL: 'smtp://localhost',
  MAIL_FROM: 'Simulations <hr@acme.example>',
  APP_URL: 'https://app.example',
}

t.test('A wrong value is reported with what it should be', async (t) => {
  const wrong: [string, string[], RegExp][] = [
    ['PORT', ['65536', '-1', 'http', '80.5', '0x10', '1e3', ' 80'], /must be/],
    ['DATABASE_URL', ['mysql://localhost/x', 'localhost', 'postgres://h:port'], /postgres:\/\//],
    ['DATABASE_POOL_MAX', ['0', '1001', 'many'], /must be/],
    ['DATABASE_PREPARED_STATEMENTS', ['yes', 'On'], /on, off/],
    ['JWT_SECRET', ['short', `${first},short`, `${first},`, ' '.repeat(40)], /32 bytes/],
    ['ACCESS_TOKEN_TTL', ['0', '1h', '31536001'], /must be/],
    ['CORS_ORIGINS', [',', 'foo', '*', 'ftp://a.example'], /separated by commas/],
    ['CORS_ORIGINS', ['https://a.example/', 'https://a.example/x'], /https:\/\/app\.example/],
    [
      'TRUST_PROXY',
      ['yes', '0', '10', 'On', '10.0.0.0/33', '10.0.0.0/0', 'loopback,'],
      /on, off, a number/,
    ],
    ['CORS_ORIGINS', ['https://*.acme.example', 'https://*'], /without wildcards/],
    ['SMTP_URL', ['mail.example', 'smtp://'], /smtp:\/\//],
    ['SMTP_URL', ['smtp://ada@mail.example', 'smtp://:pw@mail.example'], /user and a password/],
    [
      'MAIL_FROM',
      ['nobody', 'a@b.example, c@d.example', 'a@b@c', 'Ada (a@b.example)', 'Team: a@b.example;'],
      /one e-mail address/,
    ],
    ['DATA_DIR', [file, `${file}/data`], /folder/],
    ['CATALOGUE_DIR', [file], /folder/],
    ['APP_URL', ['app.example', 'https://', 'ftp://app.example'], /http or https/],
    ['APP_URL', ['https://a.example/?lang=de', 'https://a.example/#de'], /without a query/],
    ['DATABASE_MIGRATION_URL', ['localhost', databaseUrl], /postgres:\/\/|without DATABASE_URL/],
    ['DRAIN_SECONDS', ['-1', '3601', '5s'], /must be/],
    ['LOG_LEVEL', ['loud', 'INFO'], /fatal, error, warn, info, debug, trace, silent/],
    ['BODY_LIMIT', ['1023', '1MB', '104857601'], /must be/],
    ['RATE_LIMIT', ['yes', 'false'], /on, off/],
    ['MAIL_TO_LOG', ['yes', 'true'], /on, off/],
    ['REGISTRATION', ['on', 'closed'], /open, off/],
    ['REGISTRATIONS_PER_DAY', ['0', 'many'], /must be/],
    ['MAIL_TO_LOG', ['on'], /SMTP_URL/],
    [
      'DEFAULT_LIMITS',
      ['many', '[]', 'null', '7', '{"temples":1}'],
      /JSON object of limits .*templates,/,
    ],
    ['DEFAULT_LIMITS', ['{"people":-1}', '{"people":1.5}', '{"people":"1"}'], /whole numbers/],
    ['DEFAULT_LIMITS', ['{"people":1e15}', '{"people":null}', '{"__proto__":1}'], /15 digits/],
  ]
  for (const [name, values, expected] of wrong) {
    for (const value of values) {
      const message = faultsOf({ ...mail, [name]: value })
      t.strictSame(namesIn(message), [name], `${name}=${value}`)
      t.match(message, expected)
    }
  }
})

t.test('What a mail server and a sender may look like', async (t) => {
  for (const MAIL_FROM of ['a@b', '"Acme, Inc." <a@b.example>', 'Acme, Inc. <a@b.example>']) {
    t.equal(readConfig({ ...mail, MAIL_FROM }).mailFrom, MAIL_FROM)
  }
  for (const SMTP_URL of ['smtps://ada:pw@mail.example:465', 'smtp://mail.example:25']) {
    t.equal(readConfig({ ...mail, SMTP_URL }).smtpUrl, SMTP_URL)
  }
  for (const DATA_DIR of [dirname(file), `${dirname(file)}/none/yet`]) {
    t.equal(readConfig({ DATA_DIR }).dataDir, DATA_DIR)
  }
})

t.test('All faults are reported together, without the values', async (t) => {
  const wrong = {
    PORT: 'eighty-something',
    DATABASE_URL: 'mysql://root:hunter2@localhost',
    DATABASE_MIGRATION_URL: 'mysql://root:hunter2@localhost',
    DATABASE_POOL_MAX: 'lots',
    DATABASE_PREPARED_STATEMENTS: 'seldom',
    JWT_SECRET: 'not-long',
    ACCESS_TOKEN_TTL: 'an-hour',
    REFRESH_TOKEN_TTL: 'a-month',
    SMTP_URL: 'letterbox',
    MAIL_FROM: 'postman',
    APP_URL: 'homepage',
    CORS_ORIGINS: 'everywhere',
    TRUST_PROXY: 'perhaps',
    LOG_LEVEL: 'loudest',
    BODY_LIMIT: 'plenty',
    RATE_LIMIT: 'sometimes',
    MAIL_TO_LOG: 'mostly',
    WEB_CONCURRENCY: 'many',
    DRAIN_SECONDS: 'a-while',
    DEFAULT_LIMITS: 'boundless',
  }
  const message = faultsOf(wrong)
  t.strictSame(namesIn(message).sort(), Object.keys(wrong).sort())
  for (const value of [...Object.values(wrong), 'hunter2', 'mysql']) t.notMatch(message, value)
  const { JWT_SECRET, ...others } = wrong
  const production = faultsOf({ NODE_ENV: 'production', ...others })
  t.strictSame(namesIn(production).sort(), Object.keys(wrong).sort())
})

t.test('A short secret is not shown', async (t) => {
  t.notMatch(faultsOf({ JWT_SECRET: 'hunter2' }), 'hunter2')
})

t.test('A secret has 32 bytes, even with fewer characters', async (t) => {
  t.strictSame(readConfig({ JWT_SECRET: 'é'.repeat(16) }).jwtSecrets, ['é'.repeat(16)])
  t.match(faultsOf({ JWT_SECRET: `${'é'.repeat(15)}e` }), /at least 32 bytes/)
})

t.test('A variable that looks like a misspelt setting is reported', async (t) => {
  const misspelt = ['DATABSE_URL', 'DATABAES_URL', 'JWT_SECERT', 'LOGLEVEL', 'DRAIN_SECOND']
  misspelt.push('SMTP_ULR', 'APP_ULR', 'DATA_DRI', 'PROT', 'HSOT')
  for (const name of misspelt) {
    t.match(findMisspellings({ [name]: 'x' }), [new RegExp(`^${name}: is not a setting; `)])
  }
  const meant = { DATABASE_URL: databaseUrl, DATABASE_URI: 'of another program' }
  t.strictSame(findMisspellings(meant), [], 'nothing when the correct setting is present as well')
  const others = {
    HOME: '/',
    POST: '1',
    API_URL: 'x',
    SMTP_HOST: 'x',
    HTTP_URL: 'x',
    JWT_SECRETS: '',
  }
  t.strictSame(findMisspellings({ ...others, DATA_DIR: 'x' }), [])
})

t.test('The embedded database allows one process only', async (t) => {
  t.match(faultsOf({ WEB_CONCURRENCY: '2' }), /WEB_CONCURRENCY: must be 1 without DATABASE_URL/)
  t.match(faultsOf({ WEB_CONCURRENCY: '0' }), /WEB_CONCURRENCY/)
  for (const wrong of ['x', '0x10', '300']) {
    t.strictSame(
      namesIn(faultsOf({ WEB_CONCURRENCY: wrong })),
      ['WEB_CONCURRENCY'],
      'reported once',
    )
  }
  t.equal(readConfig({ WEB_CONCURRENCY: '1' }).webConcurrency, 1)
  t.equal(readConfig({ WEB_CONCURRENCY: '2', DATABASE_URL: databaseUrl }).webConcurrency, 2)
})

/** The settings that this file tests. Newer settings have their own tests. */
function pick(config: ReturnType<typeof readConfig>) {
  const known = Object.keys(defaults) as (keyof typeof defaults)[]
  return Object.fromEntries(known.map((name) => [name, config[name]]))
}
