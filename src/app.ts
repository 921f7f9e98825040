import cors from '@fastify/cors'
import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import type { Kysely } from 'kysely'
import { loadCatalogue } from './blueprints/catalogue/load.js'
import type { Config } from './config.js'
import { loadContract } from './contract.js'
import { createFetchInTurn, type FetchInTurn } from './database/long-lists.js'
import type { Database } from './database/schema.js'
import { handleError, routeNotFound } from './errors.js'
import { publishDocumentation } from './http/documentation.js'
import { answerHealthChecks } from './http/health.js'
import { logController, logRequests } from './http/logging.js'
import {
  decodablePath,
  refuseBrokenRequests,
  refuseConnection,
  serverOptions,
} from './http/protocol.js'
import { limitRequests } from './http/rate-limits.js'
import { echoRequestIds, requestIdFrom } from './http/request-id.js'
import { bindOperations } from './http/routes.js'
import { validateRequests } from './http/validation/requests.js'
import { createTokens, type Tokens } from './identity/access-tokens.js'
import { type Attempts, limitAttempts, unlimited } from './identity/attempts.js'
import { type Authenticator, createAuthenticator } from './identity/authenticator.js'
import { createPasswords, type Passwords } from './identity/password.js'
import { createLogger } from './log.js'
import { createMail, type Mail } from './mail/transport.js'
import { operations } from './operations.js'
import { organizationExists } from './organizations/queries.js'
import { closeIdleConnections } from './shutdown.js'

declare module 'fastify' {
  interface FastifyInstance {
    config: Config
    db: Kysely<Database>
    authenticator: Authenticator
    failedLogins: Attempts
    fetchInTurn: FetchInTurn
    mail: Mail
    organizationExists(organization_id: string): Promise<boolean>
    passwordResets: Attempts
    passwords: Passwords
    tokens: Tokens
  }
}

interface Options {
  config: Config
  db: Kysely<Database>
  jwtSecrets: string[]
  log?: FastifyBaseLogger
}

/** The service, ready to listen. Closing it closes the database. */
export async function buildApp({
  config,
  db,
  jwtSecrets,
  log = createLogger(config.logLevel),
}: Options): Promise<FastifyInstance> {
  // A fault in the catalogue is told now, not to whoever sets up the first simulation.
  loadCatalogue()
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

  app.decorate('config', config)
  app.decorate('db', db)
  app.decorate('fetchInTurn', createFetchInTurn())
  app.decorate(
    'authenticator',
    createAuthenticator(db, (err) => app.log.warn({ err }, 'last_seen not kept')),
  )
  app.decorate('passwords', await createPasswords())
  app.decorate('tokens', await createTokens(app, { secrets: jwtSecrets, ...config }))
  // Failed logins: ten in 15 minutes. Reset links: five an hour, so that nobody floods a mailbox.
  app.decorate('failedLogins', config.rateLimit ? limitAttempts(10, 15 * 60) : unlimited)
  app.decorate('passwordResets', config.rateLimit ? limitAttempts(5, 60 * 60) : unlimited)
  app.decorate('organizationExists', (organization_id) => organizationExists(db, organization_id))
  app.decorate('mail', createMail(config))
  app.decorateRequest('caller', null)
  app.addHook('onClose', () => db.destroy())
  closeIdleConnections(app)

  echoRequestIds(app)
  logRequests(app)
  validateRequests(app)
  if (config.corsOrigins.length > 0) {
    const rates = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset']
    const exposedHeaders = ['link', 'x-total-count', 'x-request-id', 'retry-after', ...rates]
    const methods = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'PATCH']
    await app.register(cors, { origin: config.corsOrigins, methods, exposedHeaders })
  }
  if (config.rateLimit) await limitRequests(app)
  refuseBrokenRequests(app)
  answerHealthChecks(app)
  await publishDocumentation(app, loadContract())
  await bindOperations(app, loadContract(), operations)
  return app
}
