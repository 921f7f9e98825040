import cluster from 'node:cluster'
import { once } from 'node:events'
import closeWithGrace from 'close-with-grace'
import { buildApp } from './app.js'
import { loadSigningSecrets } from './auth/signing-secret.js'
import { type Config, readConfig } from './config.js'
import { migrateToLatest } from './database/migrate.js'
import { openDatabase } from './database/open.js'

/** How long requests in flight may take once the service was told to stop. */
const graceMs = 15_000

/** So that a process which cannot live does not keep the machine busy with its births. */
const restartMs = 1_000

async function serve(config: Config): Promise<void> {
  const jwtSecrets = loadSigningSecrets(config.jwtSecrets, config.dataDir)
  const db = await openDatabase(config, (error) => console.error(`Database: ${error.message}`))
  await migrateToLatest(db)
  const app = await buildApp({ config, db, jwtSecrets })

  closeWithGrace({ delay: graceMs, logger: app.log }, async ({ err }) => {
    ignoreFurtherSignals()
    if (err) app.log.fatal({ err }, 'stopping after an error')
    await app.close()
  })
  const address = await app.listen({ host: config.host, port: config.port })
  console.log(`Workplace simulation service: ${address}\nDocumentation: ${address}/docs`)
}

/** Keeps as many processes as configured, each one serving on the same address. */
function serveWithWorkers(count: number): void {
  let isStopping = false
  let hasServed = false
  for (let worker = 0; worker < count; worker++) cluster.fork()
  cluster.once('listening', () => {
    hasServed = true
  })
  cluster.on('exit', () => {
    if (isStopping) return
    // A process that never got to serve has said why, and another one would not either.
    if (!hasServed) process.exit(1)
    setTimeout(() => isStopping || cluster.fork(), restartMs)
  })
  closeWithGrace({ delay: graceMs + 1_000 }, async ({ signal }) => {
    isStopping = true
    ignoreFurtherSignals()
    const running = Object.values(cluster.workers ?? {}).filter((worker) => !worker?.isDead())
    await Promise.all(
      running.map((worker) => {
        worker?.kill(signal)
        return worker && once(worker, 'exit')
      }),
    )
  })
}

/**
 * A Ctrl+C reaches this process from the terminal and once more from npm or the parent process: the
 * second one must not cut short what the first one lets finish.
 */
function ignoreFurtherSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.removeAllListeners(signal)
    process.on(signal, () => {})
  }
}

try {
  const config = readConfig()
  if (config.webConcurrency > 1 && cluster.isPrimary) serveWithWorkers(config.webConcurrency)
  else await serve(config)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
