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

async function serve(config: Config): Promise<void> {
  const jwtSecrets = loadSigningSecrets(config.jwtSecrets, config.dataDir)
  const db = await openDatabase(config, (error) => console.error(`Database: ${error.message}`))
  await migrateToLatest(db)
  const app = await buildApp({ config, db, jwtSecrets })

  closeWithGrace({ delay: graceMs, logger: app.log }, async ({ err }) => {
    if (err) app.log.fatal({ err }, 'stopping after an error')
    await app.close()
  })
  const address = await app.listen({ host: config.host, port: config.port })
  console.log(`Workplace simulation service: ${address}\nDocumentation: ${address}/docs`)
}

/** Keeps as many processes as configured, each one serving on the same address. */
function serveWithWorkers(count: number): void {
  let isStopping = false
  for (let worker = 0; worker < count; worker++) cluster.fork()
  cluster.on('exit', () => {
    if (!isStopping) cluster.fork()
  })
  closeWithGrace({ delay: graceMs + 1_000 }, async ({ signal }) => {
    isStopping = true
    for (const worker of Object.values(cluster.workers ?? {})) worker?.kill(signal)
    while (Object.keys(cluster.workers ?? {}).length > 0) await once(cluster, 'exit')
  })
}

try {
  const config = readConfig()
  if (config.webConcurrency > 1 && cluster.isPrimary) serveWithWorkers(config.webConcurrency)
  else await serve(config)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
