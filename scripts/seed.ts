import { buildApp } from '../src/app.js'
import { migrateDirectly } from '../src/database/migrate-directly.js'
import { isNewDatabase, openDatabase } from '../src/database/open.js'
import { loadSigningSecrets } from '../src/identity/login-sessions/signing-secret.js'
import { readConfig } from '../src/process/config.js'
import { isProduction } from '../src/process/settings.js'
import { type Seed, seedOrganization } from './seeded-organization.js'

/** Without a mail server, so that invented people get no mail, and their temporary passwords are answered. */
const overrides = {
  ...{ HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'error', WEB_CONCURRENCY: '1' },
  ...{ SMTP_URL: '', MAIL_FROM: '', MAIL_TO_LOG: 'off', REGISTRATION: 'open', RATE_LIMIT: 'off' },
}

/** Opens the service on the configured database for as long as `work` takes. */
async function withService<Result>(work: (baseUrl: string) => Promise<Result>): Promise<Result> {
  const config = readConfig({ ...process.env, ...overrides })
  const jwtSecrets = loadSigningSecrets(config.jwtSecrets, config.dataDir)
  if (isNewDatabase(config)) console.error(`Making the embedded database in ${config.dataDir}`)
  const db = await openDatabase(config, (error) => console.error(`Database: ${error.message}`))
  try {
    await migrateDirectly(config, db)
    const app = await buildApp({ config, db, jwtSecrets })
    try {
      return await work(await app.listen({ host: config.host, port: config.port }))
    } finally {
      await app.close()
    }
  } finally {
    await db.destroy()
  }
}

function describe({ organization, session, people, character, api_key }: Seed, address: string) {
  const logins = people.map(
    ({ role, email, password }) => `  ${role.padEnd(9)}  ${email.padEnd(28)}  ${password}`,
  )
  return `${organization}: ${session.scenario_name} is set up, and the session ${session.name} is running.
These passwords are shown only now:

${logins.join('\n')}
  bot        API key of ${character}:  ${api_key}

If the service does not run, start it: npm start. Then log in:
  as admin or hr           ${address}/lead
  as one of the employees  ${address}/play
The id of the session is ${session._id}`
}

if (isProduction(process.env)) {
  const { NODE_ENV } = process.env
  console.error(
    `Nothing was made: NODE_ENV=${NODE_ENV} counts as production. Unset it for a trial.`,
  )
  process.exit(1)
}
try {
  // First, so that a fault in the settings is reported before anything is made.
  const { host, port } = readConfig()
  const seed = await withService(seedOrganization)
  console.log(describe(seed, `http://${host}:${port}`))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
