import type { FastifyRequest } from 'fastify'
import type { Scope } from '../database/scope.js'
import { notAuthenticated, organizationNotFound } from '../errors.js'
import type { Caller } from './authenticator.js'
import { readBearerToken } from './login-sessions/access-tokens.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller, once authenticated. Null in operations without authentication. */
    caller: Caller | null
  }
}

/** The caller of an operation that the contract secures. */
export function callerOf(request: Pick<FastifyRequest, 'caller'>): Caller {
  if (!request.caller) throw notAuthenticated()
  return request.caller
}

/**
 * The key under which the use of a caller is counted: the place of a seat, otherwise the user. The link of
 * a seat may be on paper, so its use must not count against the account of its user.
 */
export const countedAs = ({ user_id, seat }: Pick<Caller, 'user_id' | 'seat'>) =>
  seat?.assignment_id ?? user_id

/** When the caller's access token expires, in milliseconds since 1970. Null for an API key. */
export function tokenExpiryOf(request: Pick<FastifyRequest, 'headers' | 'server'>): number | null {
  const token = readBearerToken(request.headers.authorization)
  return token ? request.server.tokens.verify(token).exp * 1000 : null
}

/** The organizations whose rows the caller may find: their own, and every one for a super_admin. */
export function scopeOf(request: Pick<FastifyRequest, 'caller'>): Scope {
  const { role, organization_id } = callerOf(request)
  return role === 'super_admin' ? 'every organization' : { organization_id }
}

/** Throws the same 404 for an organization that the caller cannot reach and for an unknown one. */
export async function requireOrganization(
  request: Pick<FastifyRequest, 'caller' | 'server'>,
  organization_id: string,
): Promise<void> {
  if (callerOf(request).organization_id === organization_id) return
  if (scopeOf(request) !== 'every organization') throw organizationNotFound()
  if (!(await request.server.organizationExists(organization_id))) throw organizationNotFound()
}
