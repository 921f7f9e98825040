import cluster from 'node:cluster'
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import type { FastifyBaseLogger } from 'fastify'
import { buildApp } from './app.js'
import { loadCatalogue } from './blueprints/catalogue/load.js'
import { loadContract } from './contract.js'
import { migrateDirectly } from './database/migrate-directly.js'
import { describeDatabase, isNewDatabase, openDatabase } from './database/open.js'
import { loadSigningSecrets } from './identity/login-sessions/signing-secret.js'
import { type Config, ConfigError, findWarnings, readConfig } from './process/config.js'
import { announce, createLogger } from './process/log.js'
import { closeOnSignals, drain } from './process/shutdown.js'

/** The pause before a process is replaced, so that one that always crashes does not busy the machine. */
const restartMs = 1_000

async function serve(config: Config, log: FastifyBaseLogger): Promise<void> {
  // First, so that a fault in the catalogue is reported before the database is opened.
  const catalogue = loadCatalogue(config.catalogueDir ?? undefined)
  const jwtSecrets = loadSigningSecrets(config.jwtSecrets, config.dataDir)
  if (isNewDatabase(config)) {
    announce(`Making the embedded database in ${config.dataDir}, which takes a while`, {})
  }
  const db = await openDatabase(config, (err) => log.warn({ err }, 'database connection lost'))
  const { migrations, applied } = await migrateDirectly(config, db, {
    onMissing: (count) => announce(`Migrating the database, new migrations: ${count}`, {}),
  })
  const { database, server } = await describeDatabase(db, config)
  announce(
    `Database: ${database}, PostgreSQL ${server}, ${migrations} migrations, ${applied} of them new`,
    { database, server, migrations, applied },
  )

  const app = await buildApp({ config, db, jwtSecrets, log })
  closeOnSignals(log, config.drainSeconds, async ({ err }) => {
    if (!err) await drain(app, config.drainSeconds)
    await app.close()
    await db.destroy()
  })
  // For a name with several addresses Fastify would open further servers, and not await them.
  const { address: host } = await lookup(config.host)
  const address = await app.listen({ host, port: config.port })
  limitHeapGrowth()
  if (config.catalogueDir) {
    const { catalogueDir } = config
    const scenarios = catalogue.scenarios.size
    announce(`Catalogue: ${scenarios} scenarios, with those of ${catalogueDir}`, {
      catalogueDir,
      scenarios,
    })
  }
  if (config.mailToLog) {
    announce('Mails are printed here and not sent (MAIL_TO_LOG=on)', {})
  }
  const { version } = loadContract()
  announce(`Workplace simulation service ${version}: ${address}`, { address, version })
  if (config.pages) announce(`Lead a drill in your browser: ${address}/lead`, {})
  announce(`Documentation: ${address}/docs`, {})
}

/**
 * On a large machine V8 lets the heap grow to four times the used memory before it collects garbage.
 * At 1.3 times, long lists and verifications take half of the memory. It is set after the start, which
 * would take 8 % longer with it.
 */
function limitHeapGrowth(): void {
  setFlagsFromString('--heap-growing-percent=30')
}

/** Keeps the configured number of processes running, all on the same address. */
function serveWithWorkers({ webConcurrency, drainSeconds }: Config, log: FastifyBaseLogger): void {
  let isStopping = false
  let hasServed = false
  for (let worker = 0; worker < webConcurrency; worker++) cluster.fork()
  cluster.once('listening', () => {
    hasServed = true
  })
  cluster.on('exit', ({ process: { pid } }, code, signal) => {
    if (isStopping) return
    // A process that never served has logged why, and another one would fail as well.
    if (!hasServed) process.exit(1)
    log.error({ worker: pid, code, signal }, 'a process died and is replaced')
    setTimeout(() => isStopping || cluster.fork(), restartMs)
  })
  // One second more than each process has.
  closeOnSignals(log, drainSeconds + 1, async ({ signal }) => {
    isStopping = true
    const running = Object.values(cluster.workers ?? {}).filter((worker) => !worker?.isDead())
    await Promise.all(
      running.map((worker) => {
        worker?.kill(signal)
        return worker && once(worker, 'exit')
      }),
    )
  })
}

/** Prints the error as text on a terminal, and as a line of the log elsewhere. */
function giveUp(error: Error & { code?: string }): never {
  // If none of several addresses answers, Node's error has a code but no message.
  const message = error.message || error.code || error.name
  if (process.stdout.isTTY || process.stderr.isTTY) console.error(message)
  if (!process.stdout.isTTY) {
    const about = error instanceof ConfigError ? {} : { err: error }
    createLogger('fatal').fatal(about, message)
  }
  process.exit(1)
}

try {
  const config = readConfig()
  const log = createLogger(config.logLevel)
  if (cluster.isPrimary) for (const warning of findWarnings()) log.warn(warning)
  if (config.webConcurrency > 1 && cluster.isPrimary) serveWithWorkers(config, log)
  else await serve(config, log)
} catch (error) {
  giveUp(error instanceof Error ? error : new Error(String(error)))
}
