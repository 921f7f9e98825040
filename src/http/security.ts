import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Operation, Role } from '../contract.js'
import {
  insufficientRole,
  invalidToken,
  notAuthenticated,
  passwordChangeRequired,
  registrationClosed,
  sessionNotFound,
} from '../errors.js'
import type { Caller } from '../identity/authenticator.js'
import { requireOrganization } from '../identity/caller.js'
import { readBearerToken } from '../identity/login-sessions/access-tokens.js'

/**
 * Checks the caller's token or key, then the organization in the path or query, then the seat of a token
 * that is bound to one, and then the caller's role.
 */
function authorize(roles: Role[], operation: Operation) {
  const { apiKeyRoles, allowsTemporaryPassword } = operation
  return async (request: FastifyRequest): Promise<void> => {
    const caller = await authenticate(request)
    request.caller = caller
    const named = organizationNamedIn(request)
    if (named !== undefined) await requireOrganization(request, named)
    requireOwnSeat(request, caller, operation)
    const allowed = caller.session_id === null ? apiKeyRoles : roles
    if (!allowed.includes(caller.role)) throw insufficientRole([...roles, ...apiKeyRoles])
    if (caller.must_change_password && !allowsTemporaryPassword) throw passwordChangeRequired()
  }
}

/** Runs before the body is read, but after the rate limit, so that refusals count. */
async function secureOperations(app: FastifyInstance): Promise<void> {
  app.decorateRequest('caller', null)
  app.addHook('onRoute', (route) => {
    const { operation } = route.config ?? {}
    if (operation?.operationId === 'register' && !app.config.registrationIsOpen) {
      route.onRequest = [route.onRequest ?? [], refuseRegistration].flat()
    }
    if (!operation?.roles) return
    route.onRequest = [route.onRequest ?? [], authorize(operation.roles, operation)].flat()
  })
}

export const security = fp(secureOperations, {
  name: 'security',
  // Validation has removed undeclared query parameters by then.
  dependencies: ['protocol', 'validation'],
  decorators: { fastify: ['authenticator', 'config', 'organizationExists', 'tokens'] },
})

async function refuseRegistration(): Promise<void> {
  throw registrationClosed()
}

async function authenticate({ headers, network, server }: FastifyRequest): Promise<Caller> {
  const token = readBearerToken(headers.authorization)
  const apiKey = headers['x-api-key']
  if (!token && typeof apiKey !== 'string') throw notAuthenticated()
  const caller = token
    ? await server.authenticator.ofSession(server.tokens.verify(token))
    : await server.authenticator.ofApiKey(String(apiKey), network)
  if (!caller) throw invalidToken()
  return caller
}

/**
 * Throws if the token of a seat is used for more than its session: 403 for an operation that it may not
 * call, and for any other session in the path the same 404 as for an unknown one.
 */
function requireOwnSeat(
  { params }: FastifyRequest,
  { seat }: Caller,
  { roles, apiKeyRoles, allowsSeat }: Operation,
): void {
  if (!seat) return
  if (!allowsSeat) throw insufficientRole([...(roles ?? []), ...apiKeyRoles])
  const named = textIn(params, 'session_id')
  if (named !== undefined && named !== seat.session_id) throw sessionNotFound()
}

function organizationNamedIn({ params, query }: FastifyRequest): string | undefined {
  return textIn(params, 'organization_id') ?? textIn(query, 'organization_id')
}

function textIn(values: unknown, name: string): string | undefined {
  if (typeof values !== 'object' || values === null) return undefined
  const value: unknown = Reflect.get(values, name)
  return typeof value === 'string' ? value : undefined
}
