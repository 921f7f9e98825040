import cluster from 'node:cluster'
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import type { FastifyBaseLogger } from 'fastify'
import { buildApp } from './app.js'
import { loadCatalogue } from './blueprints/catalogue/load.js'
import { type Config, findMisspellings, readConfig } from './config.js'
import { loadContract } from './contract.js'
import { migrateToLatest } from './database/migrate.js'
import { describeDatabase, openDatabase, openReplica } from './database/open.js'
import { loadSigningSecrets } from './identity/signing-secret.js'
import { createLogger } from './log.js'
import { closeOnSignals, drain } from './shutdown.js'

/**
 * On a large machine V8 lets the heap grow to four times what is in use before it collects garbage.
 * Collected at 1.3 times, long lists and verifications take half of the memory.
 */
setFlagsFromString('--heap-growing-percent=30')

/** So that a process which cannot live does not keep the machine busy with its births. */
const restartMs = 1_000

/** What is said at every start, whatever LOG_LEVEL says about the rest. */
const start = createLogger('info')

/** As plain text for whoever reads along on a terminal, else as one line of the log. */
function announce(text: string, fields: object): void {
  if (process.stdout.isTTY) console.log(text)
  else start.info(fields, text)
}

async function serve(config: Config, log: FastifyBaseLogger): Promise<void> {
  // A fault in the catalogue is told before the database is touched.
  const catalogue = loadCatalogue(config.catalogueDir ?? undefined)
  const jwtSecrets = loadSigningSecrets(config.jwtSecrets, config.dataDir)
  const db = await openDatabase(config, (err) => log.warn({ err }, 'database connection lost'))
  const replica = await openReplica(config)
  const { migrations, applied } = await migrateToLatest(db)
  const { database, server } = await describeDatabase(db, config)
  announce(
    `Database: ${database}, PostgreSQL ${server}, ${migrations} migrations, ${applied} of them new`,
    { database, server, migrations, applied },
  )

  const app = await buildApp({ config, db, replica, jwtSecrets, log })
  closeOnSignals(log, config.drainSeconds, async ({ err }) => {
    if (!err) await drain(app, config.drainSeconds)
    await app.close()
    // Nobody waits for a replica that hangs.
    void replica?.destroy()
    await db.destroy()
  })
  // One address: of a name with several Fastify would open further servers and wait for none of them.
  const { address: host } = await lookup(config.host)
  const address = await app.listen({ host, port: config.port })
  if (config.catalogueDir) {
    const { catalogueDir } = config
    const scenarios = catalogue.scenarios.size
    announce(`Catalogue: ${scenarios} scenarios, with those of ${catalogueDir}`, {
      catalogueDir,
      scenarios,
    })
  }
  const { version } = loadContract()
  announce(`Workplace simulation service ${version}: ${address}`, { address, version })
  announce(`Documentation: ${address}/docs`, {})
}

/** Keeps as many processes as configured, each one serving on the same address. */
function serveWithWorkers({ webConcurrency, drainSeconds }: Config, log: FastifyBaseLogger): void {
  let isStopping = false
  let hasServed = false
  for (let worker = 0; worker < webConcurrency; worker++) cluster.fork()
  cluster.once('listening', () => {
    hasServed = true
  })
  cluster.on('exit', ({ process: { pid } }, code, signal) => {
    if (isStopping) return
    // A process that never got to serve has said why, and another one would not either.
    if (!hasServed) process.exit(1)
    log.error({ worker: pid, code, signal }, 'a process died, another one takes its place')
    setTimeout(() => isStopping || cluster.fork(), restartMs)
  })
  // A second more than the processes have themselves.
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

/** To whoever watches a terminal as text, and where the log goes elsewhere as one line of it. */
function giveUp(error: Error & { code?: string }): never {
  // Where a name has several addresses and none answers, Node has a code and no message.
  const message = error.message || error.code || error.name
  if (process.stdout.isTTY || process.stderr.isTTY) console.error(message)
  if (!process.stdout.isTTY) start.fatal({ err: error }, message)
  process.exit(1)
}

try {
  const config = readConfig()
  const log = createLogger(config.logLevel)
  if (cluster.isPrimary) for (const misspelling of findMisspellings()) log.warn(misspelling)
  if (config.webConcurrency > 1 && cluster.isPrimary) serveWithWorkers(config, log)
  else await serve(config, log)
} catch (error) {
  giveUp(error instanceof Error ? error : new Error(String(error)))
}
