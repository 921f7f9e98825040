import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { callerOf } from '../identity/caller.js'

/**
 * Checks limits before an operation begins: those in its `x-quotas` that depend only on the caller. They
 * apply to the caller's organization, but not to a super_admin, who acts in other organizations.
 */
async function enforceQuotas(app: FastifyInstance): Promise<void> {
  app.addHook('onRoute', (route) => {
    const quotas = route.config?.operation?.quotas ?? []
    const checks = [
      ...(quotas.includes('streams') ? [takeTurn('streams')] : []),
      ...(quotas.includes('exports') ? [takeTurn('exports')] : []),
      ...(quotas.includes('events_per_day') ? [takeEvents] : []),
    ]
    if (checks.length > 0) route.preHandler = [route.preHandler ?? [], checks].flat()
  })
}

export const quotaEnforcement = fp(enforceQuotas, {
  name: 'enforcement',
  dependencies: ['security'],
  decorators: { fastify: ['db', 'quotas'] },
})

async function takeEvents(request: FastifyRequest): Promise<void> {
  const { role, organization_id } = callerOf(request)
  if (role === 'super_admin') return
  await request.server.quotas.eventsToday.take(organization_id, eventsIn(request.body))
}

/** One event for each item of a bulk request, else one. */
function eventsIn(body: unknown): number {
  if (typeof body !== 'object' || body === null) return 1
  for (const name of ['events', 'invitations', 'templates']) {
    const list: unknown = Reflect.get(body, name)
    if (Array.isArray(list)) return Math.max(1, list.length)
  }
  return 1
}

/** Counts a request until its connection or answer has ended. */
function takeTurn(name: 'streams' | 'exports') {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { db, server } = request
    const { quotas } = server
    const { role, organization_id } = callerOf(request)
    if (role === 'super_admin') return
    const allowed = await quotas.allowances.of(db, organization_id)
    const release = await takeOrPause(request, () =>
      quotas.concurrency.take(organization_id, name, allowed[name]),
    )
    reply.raw.once('close', release)
    if (reply.raw.destroyed) release()
  }
}

/** A refusal waits for no statement. Without a pause, many refusals would block the event loop. */
async function takeOrPause<Result>(request: FastifyRequest, take: () => Result): Promise<Result> {
  try {
    return take()
  } catch (refusal) {
    await request.pause()
    throw refusal
  }
}
