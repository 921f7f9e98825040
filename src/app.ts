import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import type { Kysely } from 'kysely'
import { type AuditKeys, createAuditKeys } from './audit-events/checkpoint.js'
import { hasChangedRecently } from './audit-events/queries.js'
import { keepPruning } from './audit-events/retention.js'
import { keepSealing } from './audit-events/sealing.js'
import type { Catalogue } from './blueprints/catalogue/entries.js'
import { loadCatalogue } from './blueprints/catalogue/load.js'
import type { Clock } from './clock.js'
import type { Config } from './config.js'
import { loadContract, type OperationId, type RequestBody } from './contract.js'
import { Replica } from './database/replica.js'
import type { Database } from './database/schema.js'
import type { Scope } from './database/scope.js'
import { databaseFor } from './database/shared.js'
import { routeNotFound } from './errors.js'
import { handleError } from './failures.js'
import { cors } from './http/cors.js'
import { documentation } from './http/documentation.js'
import { health, type Work } from './http/health.js'
import { largeBodies } from './http/large-bodies.js'
import { logController, logging } from './http/logging.js'
import { pipelining } from './http/pipelining.js'
import { decodablePath, protocol, refuseConnection, serverOptions } from './http/protocol.js'
import { rateLimits } from './http/rate-limits.js'
import { requestId, requestIdFrom } from './http/request-id.js'
import { requestTurns } from './http/request-turns.js'
import { routes } from './http/routes.js'
import { security } from './http/security.js'
import { smallChunks } from './http/small-chunks.js'
import { unsent } from './http/unsent.js'
import { validation } from './http/validation/requests.js'
import { createTokens, type Tokens } from './identity/access-tokens.js'
import {
  type Attempts,
  limitFailedLogins,
  limitInvitationLetters,
  limitPasswordResets,
  unlimited,
} from './identity/attempts.js'
import { type Authenticator, createAuthenticator } from './identity/authenticator.js'
import { createPasswords, type Passwords } from './identity/password.js'
import { createLogger } from './log.js'
import { createMail, type Mail } from './mail/transport.js'
import { operations } from './operations.js'
import { organizationExists } from './organizations/queries.js'
import { SessionStreams } from './session-messages/hub.js'
import { closeIdleConnections } from './shutdown.js'
import { keepSessionsGoing } from './simulation-sessions/engine.js'
import { Slices } from './turns/slices.js'
import { Turns } from './turns/turns.js'
import { quotaEnforcement } from './usage/enforcement.js'
import { Quotas } from './usage/quotas.js'

declare module 'fastify' {
  interface FastifyInstance {
    config: Config
    /** The database, for what belongs to no organization. */
    db: Kysely<Database>
    /** The database in the turns of an organization, or of a stranger's address. */
    dbOf(key: string): Kysely<Database>
    /** The database that a list is read from in the turns of a key. It may be a replica. */
    dbForReading(scope: Scope, key: string): Promise<Kysely<Database>> | Kysely<Database>
    /** In which experiments are worked out, each in a thread of its own. */
    analyses: Turns
    auditKeys: AuditKeys
    authenticator: Authenticator
    failedLogins: Attempts
    invitationLetters: Attempts
    /** In which long answers are fetched piece by piece, so that short ones get by. */
    longAnswers: Turns
    /** In which long bodies are parsed, so that few parsed values wait to be validated. */
    parsings: Turns
    /** In which long lists of events are recorded: at most two of an organization at a time. */
    recordings: Turns
    /** In which bundles, plans and previews are rendered, which keeps the event loop busy. */
    renderings: Turns
    mail: Mail
    organizationExists(organization_id: string): Promise<boolean>
    passwordResets: Attempts
    passwords: Passwords
    /** The limits of organizations, as far as this process counts and remembers them. */
    quotas: Quotas
    /** What blueprints are made of. */
    catalogue: Catalogue
    /** What the catalogue calls a scenario; the name itself of one that it does not have. */
    scenarioLabel(scenario_name: string): string
    /** A value as the body of an operation. Throws 422 with what the operation would refuse. */
    readBodyOf<Id extends OperationId>(operationId: Id, value: unknown): RequestBody<Id>
    /** Who reads the events of a session in this process. */
    sessionStreams: SessionStreams
    /** In which work that keeps the event loop busy goes on. */
    slices: Slices
    tokens: Tokens
  }
}

interface Options {
  config: Config
  db: Kysely<Database>
  replica?: Kysely<Database> | null
  jwtSecrets: string[]
  log?: FastifyBaseLogger
  /** The clock that measures how long background work has stood still. A test passes its own. */
  clock?: Clock
}

/** The service, ready to listen. Fastify refuses the start when a part comes before what it needs. */
export async function buildApp(options: Options): Promise<FastifyInstance> {
  const contract = loadContract()
  const app = createServer(options)
  await decorate(app, options)
  readListsFromReplica(app, options)
  const work = workBeside(app, options)
  closeIdleConnections(app)

  app.register(smallChunks)
  app.register(pipelining)
  app.register(requestId)
  app.register(requestTurns)
  app.register(unsent)
  app.register(logging)
  app.register(cors)
  app.register(rateLimits)
  app.register(protocol)
  app.register(validation)
  app.register(security)
  app.register(largeBodies)
  app.register(quotaEnforcement)
  app.register(health, { work })
  app.register(documentation, { contract })
  await app.register(routes, { contract, operations })
  return app
}

function createServer({ config, log = createLogger(config.logLevel) }: Options): FastifyInstance {
  const app = Fastify({
    loggerInstance: log,
    logController,
    genReqId: requestIdFrom,
    trustProxy: config.trustProxy,
    bodyLimit: config.bodyLimit,
    // No handlerTimeout: what it sets up and aborts for each request makes a small read a third
    // slower. An answer that does not come is cut off with its connection after 30 s.
    connectionTimeout: 30_000,
    requestTimeout: serverOptions.requestTimeout,
    http: serverOptions,
    clientErrorHandler: refuseConnection,
    rewriteUrl: decodablePath,
    // Longer than any that Node lets in, so that an id of any length is simply unknown.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 65_536 },
    frameworkErrors: handleError,
    // What still comes on an open connection while closing is served, and the last one on it.
    return503OnClosing: false,
  })
  app.setErrorHandler(handleError)
  app.setNotFoundHandler(() => {
    throw routeNotFound()
  })
  return app
}

/** Gives the server what handlers work with. */
async function decorate(app: FastifyInstance, { config, db, jwtSecrets }: Options): Promise<void> {
  const onError = (err: unknown) => app.log.warn({ err }, 'last_seen not kept')
  const onUntidy = (err: unknown) => app.log.warn({ err }, 'attempts not tidied up')
  const slowness = { ms: 1_000, most: 2 }
  app.decorate('config', config)
  app.decorate('db', db)
  app.decorate('dbOf', (key) => databaseFor(db, key))
  app.decorate(
    'analyses',
    new Turns({ capacity: 2, reserve: 1, longestQueue: 200, patienceMs: 5_000 }),
  )
  app.decorate('slices', new Slices())
  app.decorate('parsings', new Turns({ capacity: 2, reserve: 1 }))
  app.decorate(
    'longAnswers',
    new Turns({ capacity: 4, reserve: 3, slowness: { ms: 500, most: 2 } }),
  )
  app.decorate(
    'renderings',
    new Turns({ capacity: 4, reserve: 2, slowness, longestQueue: 200, patienceMs: 5_000 }),
  )
  app.decorate(
    'recordings',
    new Turns({ capacity: 4, reserve: 2, slowness, longestQueue: 200, patienceMs: 5_000 }),
  )
  app.decorate('auditKeys', await createAuditKeys(config.auditSecrets ?? jwtSecrets))
  app.decorate('authenticator', createAuthenticator(db, onError))
  app.decorate('passwords', await createPasswords())
  app.decorate('quotas', new Quotas(db))
  app.decorate('tokens', await createTokens(app, { secrets: jwtSecrets, ...config }))
  app.decorate('failedLogins', config.rateLimit ? limitFailedLogins(app.dbOf, onUntidy) : unlimited)
  app.decorate(
    'invitationLetters',
    config.rateLimit ? limitInvitationLetters(app.dbOf, onUntidy) : unlimited,
  )
  app.decorate(
    'passwordResets',
    config.rateLimit ? limitPasswordResets(app.dbOf, onUntidy) : unlimited,
  )
  app.decorate('organizationExists', (organization_id) => organizationExists(db, organization_id))
  app.decorate('mail', createMail(config))
  app.addHook('onClose', async () => app.mail.close())
  const catalogue = loadCatalogue(config.catalogueDir ?? undefined)
  app.decorate('catalogue', catalogue)
  app.decorate('scenarioLabel', (name) => catalogue.scenarios.get(name)?.label ?? name)
}

/**
 * What is done beside the requests: sealing and pruning the audit trail, what sessions have due, and
 * news for streams. Returns what must come round all the time.
 */
function workBeside(app: FastifyInstance, { clock }: Options): Work {
  const sealer = keepSealing(app.db, app.log, clock)
  const engine = keepSessionsGoing(app, clock)
  const work = [sealer, keepPruning(app.db, app.log), engine]
  app.addHook('onReady', async () => {
    for (const one of work) one.start()
  })
  app.addHook('onClose', async () => {
    await Promise.all(work.map((one) => one.stop()))
  })
  return { engine, sealer, streams: keepSessionStreams(app, clock) }
}

/** Streams end before the door is closed: nobody waits for them. */
function keepSessionStreams(app: FastifyInstance, clock: Clock | undefined): SessionStreams {
  const { db, dbOf, longAnswers, log } = app
  const streams = new SessionStreams({ db, dbOf, longAnswers, log, clock })
  app.decorate('sessionStreams', streams)
  app.addHook('preClose', async () => streams.close())
  return streams
}

function readListsFromReplica(app: FastifyInstance, { db: primary, replica }: Options): void {
  const followed = replica && new Replica({ primary, replica, hasChangedRecently, log: app.log })
  app.decorate('dbForReading', (scope, key) => {
    return followed?.dbFor(scope, key) ?? databaseFor(primary, key)
  })
  app.addHook('onReady', async () => followed?.watch())
  app.addHook('onClose', async () => followed?.stopWatching())
}
