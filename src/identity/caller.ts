import type { FastifyRequest } from 'fastify'
import { notAuthenticated, organizationNotFound } from '../errors.js'
import type { Caller } from './authenticator.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is calling, once that is known; null in operations that anybody may call. */
    caller: Caller | null
  }
}

/** The caller of an operation that the contract secures. */
export function callerOf(request: Pick<FastifyRequest, 'caller'>): Caller {
  if (!request.caller) throw notAuthenticated()
  return request.caller
}

/** Refuses an organization that the caller does not belong to just like one that does not exist. */
export async function requireOrganization(
  request: Pick<FastifyRequest, 'caller' | 'server'>,
  organization_id: string,
): Promise<void> {
  const caller = callerOf(request)
  if (caller.organization_id === organization_id) return
  if (caller.role !== 'super_admin') throw organizationNotFound()
  if (!(await request.server.organizationExists(organization_id))) throw organizationNotFound()
}
