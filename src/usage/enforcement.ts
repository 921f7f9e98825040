import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { callerOf } from '../identity/caller.js'

/**
 * Looks at the limits that need nothing but the caller before an operation begins, those that the
 * contract names in its `x-quotas`. They hold for the caller's organization; a super_admin, who
 * acts in others, has none.
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

/** Of a request that brings many things at once one for each, else one. */
function eventsIn(body: unknown): number {
  if (typeof body !== 'object' || body === null) return 1
  for (const name of ['events', 'invitations', 'templates']) {
    const list: unknown = Reflect.get(body, name)
    if (Array.isArray(list)) return Math.max(1, list.length)
  }
  return 1
}

/** Counts a request until its answer has ended, however it ends. */
function takeTurn(name: 'streams' | 'exports') {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { db, server } = request
    const { quotas } = server
    const { role, organization_id } = callerOf(request)
    if (role === 'super_admin') return
    const allowed = await quotas.allowances.of(db, organization_id)
    const release = await takeOrPause(request, () =>
      quotas.atOnce.take(organization_id, name, allowed[name]),
    )
    reply.raw.once('close', release)
    if (reply.raw.destroyed) release()
  }
}

/** Refusals wait for no statement. Without a pause, many of them would keep the event loop busy. */
async function takeOrPause<Result>(request: FastifyRequest, take: () => Result): Promise<Result> {
  try {
    return take()
  } catch (refusal) {
    await request.pause()
    throw refusal
  }
}
