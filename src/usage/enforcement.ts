import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { rateLimited } from '../errors.js'
import { callerOf, countedAs } from '../identity/caller.js'
import { whenClosed } from '../turns/when-closed.js'
import { allowedTo, isParticipant } from './reserve.js'

/** How many exports of one person may be under way at once, so that others have room for theirs. */
const exportsOfPerson = 2

/**
 * Checks limits before an operation begins: those in its `x-quotas` that depend only on the caller. They
 * apply to the caller's organization, but not to a super_admin, who acts in other organizations.
 */
async function enforceLimits(app: FastifyInstance): Promise<void> {
  app.addHook('onRoute', (route) => {
    const { quotas = [], countedList = null } = route.config?.operation ?? {}
    const checks = [
      ...(quotas.includes('streams') ? [takeTurn('streams')] : []),
      ...(quotas.includes('exports') ? [takeOwnExport, takeTurn('exports')] : []),
      ...(quotas.includes('participant_events_per_day') ? [takeParticipantEvent] : []),
      ...(quotas.includes('events_per_day') ? [takeEvents(countedList)] : []),
      ...(quotas.includes('session_bytes') ? [takeSessionBytes] : []),
    ]
    if (checks.length > 0) route.preHandler = [route.preHandler ?? [], checks].flat()
  })
}

export const limitEnforcement = fp(enforceLimits, {
  name: 'enforcement',
  dependencies: ['security'],
  decorators: { fastify: ['db', 'usage'] },
})

/** Keeps one participant from using up the events of their organization. Those who lead are not counted. */
async function takeParticipantEvent(request: FastifyRequest): Promise<void> {
  const { db, server } = request
  const { cachedLimits, participantEvents } = server.usage
  const caller = callerOf(request)
  if (!isParticipant(caller)) return
  const { participant_events_per_day } = await cachedLimits.of(db, caller.organization_id)
  await takeOrPause(request, () =>
    participantEvents.take(countedAs(caller), participant_events_per_day),
  )
}

/** Counts one event for each item of the list in the body, else one. */
function takeEvents(countedList: string | null) {
  return async (request: FastifyRequest): Promise<void> => {
    const caller = callerOf(request)
    if (caller.role === 'super_admin' || isDeactivation(request)) return
    const list: unknown = countedList && Reflect.get(request.body as object, countedList)
    const count = Array.isArray(list) ? Math.max(1, list.length) : 1
    const { eventsToday } = request.server.usage
    await eventsToday.take(caller.organization_id, count, (allowed) => allowedTo(caller, allowed))
  }
}

/** Users can be deactivated also when the events are used up. With other changes, the request counts. */
const isDeactivation = ({ routeOptions, body }: FastifyRequest) =>
  routeOptions.config.operation?.operationId === 'updateUser' &&
  JSON.stringify(body) === '{"is_active":false}'

/** Counts what a request is about to store in a session. A start counts its plan by itself. */
async function takeSessionBytes(request: FastifyRequest): Promise<void> {
  const caller = callerOf(request)
  if (caller.role === 'super_admin') return
  const adding = Buffer.byteLength(JSON.stringify(request.body ?? null))
  const { sessionBytes } = request.server.usage
  await sessionBytes.take(caller.organization_id, adding, (allowed) => allowedTo(caller, allowed))
}

/** Counts an export for its person, besides the organization. */
async function takeOwnExport(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { role, user_id } = callerOf(request)
  if (role === 'super_admin') return
  const { concurrency } = request.server.usage
  const release = await takeOrPause(request, () => {
    if (concurrency.used(user_id, 'exports') >= exportsOfPerson) throw rateLimited(1)
    return concurrency.take(user_id, 'exports', exportsOfPerson)
  })
  whenClosed(reply, release)
}

/** Counts a request until its connection or answer has ended. */
function takeTurn(name: 'streams' | 'exports') {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { db, server } = request
    const { usage } = server
    const { role, organization_id } = callerOf(request)
    if (role === 'super_admin') return
    const allowed = await usage.cachedLimits.of(db, organization_id)
    const release = await takeOrPause(request, () =>
      usage.concurrency.take(organization_id, name, allowed[name]),
    )
    whenClosed(reply, release)
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
