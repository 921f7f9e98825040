import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import { type AuditKeys, createAuditKeys } from './audit-events/chain/checkpoint.js'
import { keepPruning } from './audit-events/retention.js'
import { keepSealing } from './audit-events/sealing/sealing.js'
import type { Catalogue } from './blueprints/catalogue/entries.js'
import { loadCatalogue } from './blueprints/catalogue/load.js'
import { scenarioLabel } from './blueprints/names.js'
import { loadContract, type OperationId, type RequestBody } from './contract.js'
import { databaseFor } from './database/connections/shared.js'
import { keepVacuuming } from './database/embedded/vacuum.js'
import { isDatabaseClosed } from './database/errors.js'
import type { Db } from './database/schema.js'
import { routeNotFound } from './errors.js'
import { forwarded, trustedProxies } from './http/arrival/forwarded.js'
import { largeBodies } from './http/arrival/large-bodies.js'
import { routerOptions } from './http/arrival/methods.js'
import { pipelining } from './http/arrival/pipelining.js'
import {
  decodablePath,
  protocol,
  refuseConnection,
  serverOptions,
} from './http/arrival/protocol.js'
import { requestId, requestIdFrom } from './http/arrival/request-id.js'
import { requestTurns } from './http/arrival/request-turns.js'
import { smallChunks } from './http/arrival/small-chunks.js'
import { compression } from './http/compression.js'
import { cors } from './http/cors.js'
import { documentation } from './http/documentation/documentation.js'
import { type BackgroundWork, health } from './http/health.js'
import { logController, logging } from './http/logging.js'
import { pages } from './http/pages.js'
import { rateLimits } from './http/rate-limits.js'
import { routes } from './http/routes.js'
import { security } from './http/security.js'
import { underWay } from './http/under-way.js'
import { validation } from './http/validation/requests.js'
import { type AttemptLimits, createAttemptLimits } from './identity/attempts/attempt-limits.js'
import { type Authenticator, createAuthenticator } from './identity/authenticator.js'
import { createTokens, type Tokens } from './identity/login-sessions/access-tokens.js'
import { keepForgettingLogins } from './identity/login-sessions/retention.js'
import { createPasswords, type Passwords } from './identity/password.js'
import { createMail, type Mail } from './mail/transport.js'
import { operations } from './operations.js'
import { organizationExists } from './organizations/queries.js'
import type { Clock } from './process/clock.js'
import type { Config } from './process/config.js'
import { createLogger } from './process/log.js'
import { closeIdleConnections } from './process/shutdown.js'
import { SessionStreams } from './session-messages/stream/hub.js'
import { createEngine } from './simulation-sessions/engine/engine.js'
import { handleError } from './thrown-errors.js'
import { Slices } from './turns/slices.js'
import { Turns } from './turns/turns.js'
import { defaultLimits } from './usage/default-limits.js'
import { limitEnforcement } from './usage/enforcement.js'
import { ProcessUsage } from './usage/process-usage.js'

declare module 'fastify' {
  interface FastifyInstance extends AttemptLimits {
    config: Config
    /** The database, for work that belongs to no organization. */
    db: Db
    /** The database, in turns of an organization or of an unknown caller's address. */
    dbOf(key: string): Db
    /** Turns to analyse experiments, each in its own thread. */
    analyses: Turns
    auditKeys: AuditKeys
    authenticator: Authenticator
    /** Turns to fetch the next piece of a long answer, so that short answers need not wait. */
    longAnswers: Turns
    /** Turns to render bundles, plans and previews, which keeps the event loop busy. */
    renderings: Turns
    mail: Mail
    organizationExists(organization_id: string): Promise<boolean>
    passwords: Passwords
    /** The limits of organizations, and what this process counts and caches of them. */
    usage: ProcessUsage
    /** The scenarios and models of all blueprints. */
    catalogue: Catalogue
    /** What a scenario is called. */
    scenarioLabel(scenario_name: string): string
    /** Validates a value as the body of an operation. Throws 422 if it does not fit. */
    readBodyOf<Id extends OperationId>(operationId: Id, value: unknown): RequestBody<Id>
    /** The event streams of this process. */
    sessionStreams: SessionStreams
    /** Slices of the event loop for long work. */
    slices: Slices
    tokens: Tokens
  }
}

interface Options {
  config: Config
  db: Db
  jwtSecrets: string[]
  log?: FastifyBaseLogger
  /** Measures how long background work has stood still. Tests pass their own clock. */
  clock?: Clock
  /** How often the engine looks for due sessions. Tests pass a shorter time. */
  engineTickMs?: number
}

/** Builds the service. Fastify throws if a plugin is registered before one that it depends on. */
export async function buildApp(options: Options): Promise<FastifyInstance> {
  const contract = loadContract()
  const app = createServer(options)
  await decorate(app, options)
  const work = startBackgroundWork(app, options)
  closeIdleConnections(app)

  app.register(forwarded)
  app.register(smallChunks)
  app.register(pipelining)
  app.register(requestId)
  app.register(requestTurns)
  app.register(compression)
  app.register(logging)
  app.register(cors)
  app.register(rateLimits)
  app.register(underWay)
  app.register(protocol, { contract })
  app.register(validation)
  app.register(security)
  app.register(largeBodies)
  app.register(limitEnforcement)
  app.register(health, { work })
  if (options.config.pages) app.register(pages)
  app.register(documentation, { contract })
  await app.register(routes, { contract, operations })
  return app
}

function createServer({ config, log = createLogger(config.logLevel) }: Options): FastifyInstance {
  const app = Fastify({
    loggerInstance: log,
    logController,
    genReqId: requestIdFrom,
    trustProxy: trustedProxies(config.trustProxy),
    bodyLimit: config.bodyLimit,
    // No handlerTimeout: its AbortController makes a small read a third slower. If an answer does not
    // come, its connection is closed after 30 s.
    connectionTimeout: 30_000,
    requestTimeout: serverOptions.requestTimeout,
    http: serverOptions,
    clientErrorHandler: refuseConnection,
    rewriteUrl: decodablePath,
    routerOptions,
    frameworkErrors: handleError,
    // Serve requests that come on open connections while the service closes.
    return503OnClosing: false,
  })
  app.setErrorHandler(handleError)
  app.setNotFoundHandler(() => {
    throw routeNotFound()
  })
  return app
}

/** Adds to the server what handlers use. */
async function decorate(app: FastifyInstance, { config, db, jwtSecrets }: Options): Promise<void> {
  // Work for a request whose client has gone can outlive the database.
  const warn = (message: string) => (err: unknown) => {
    if (!isDatabaseClosed(err)) app.log.warn({ err }, message)
  }
  const slowness = { ms: 1_000, capacity: 2 }
  app.decorate('config', config)
  app.decorate('db', db)
  app.decorate('dbOf', (key) => databaseFor(db, key))
  app.decorate(
    'analyses',
    new Turns({ capacity: 2, reserve: 1, longestQueue: 200, patienceMs: 5_000 }),
  )
  app.decorate('slices', new Slices())
  app.decorate(
    'longAnswers',
    new Turns({ capacity: 4, reserve: 3, slowness: { ms: 500, capacity: 2 } }),
  )
  app.decorate(
    'renderings',
    new Turns({ capacity: 4, reserve: 2, slowness, longestQueue: 200, patienceMs: 5_000 }),
  )
  app.decorate('auditKeys', await createAuditKeys(config.auditSecrets ?? jwtSecrets))
  app.decorate('authenticator', createAuthenticator(db, warn('last_seen could not be stored')))
  app.decorate('passwords', await createPasswords())
  app.decorate('usage', new ProcessUsage(db, defaultLimits(config)))
  app.decorate('tokens', await createTokens(app, { secrets: jwtSecrets, ...config }))
  const onCleanupError = warn('expired attempts could not be deleted')
  const limits = createAttemptLimits(config, app.dbOf, onCleanupError)
  for (const [name, attempts] of Object.entries(limits)) app.decorate(name, attempts)
  app.decorate('organizationExists', (organization_id) => organizationExists(db, organization_id))
  app.decorate('mail', createMail(config))
  app.addHook('onClose', async () => app.mail.close())
  const catalogue = loadCatalogue(config.catalogueDir ?? undefined)
  app.decorate('catalogue', catalogue)
  app.decorate('scenarioLabel', (name) => scenarioLabel(catalogue, name))
}

/**
 * Starts the background work: sealing and pruning the audit trail, forgetting old logins, freeing the
 * space of the embedded database, the engine of the sessions, and the event streams. Returns the work that
 * `/ready` watches.
 */
function startBackgroundWork(app: FastifyInstance, options: Options): BackgroundWork {
  const { clock, engineTickMs: tickMs } = options
  const sealer = keepSealing(app.db, app.log, clock)
  const engine = createEngine(app, { tickMs, clock })
  const pruning = keepPruning(app.db, app.log)
  const forgetting = keepForgettingLogins(app.db, app.log)
  const isEmbedded = options.config.databaseUrl === null
  const vacuuming = isEmbedded ? [keepVacuuming(app.db, app.log)] : []
  const work = [sealer, pruning, forgetting, ...vacuuming, engine]
  app.addHook('onReady', async () => {
    for (const one of work) one.start()
  })
  app.addHook('onClose', async () => {
    await Promise.all(work.map((one) => one.stop()))
  })
  return { engine, sealer, streams: keepSessionStreams(app, clock) }
}

/** Streams end before the server stops listening, because they would not end by themselves. */
function keepSessionStreams(app: FastifyInstance, clock: Clock | undefined): SessionStreams {
  const { db, dbOf, longAnswers, log } = app
  const streams = new SessionStreams({ db, dbOf, longAnswers, log, clock })
  app.decorate('sessionStreams', streams)
  app.addHook('preClose', async () => streams.close())
  return streams
}
