import type { FastifyInstance, FastifyReply, FastifyRequest, RequestPayload } from 'fastify'
import fp from 'fastify-plugin'
import { requestTimeout } from '../errors.js'
import { type EndTurn, Turns } from '../turns/turns.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** Ends the turn of a large body. */
    endBodyTurn: EndTurn | null
  }
}

interface BodyClass {
  /** A body of this class has more bytes than this. */
  above: number
  turns: Turns
  /** How long a body may take to arrive while other requests wait for a turn. */
  graceMs: number
}

const waiting = { longestQueue: 500, patienceMs: 5_000 }
const checkEveryMs = 250
/** Methods whose bodies Fastify does not read. */
const neverParsed = ['GET', 'HEAD']

/**
 * Reads large bodies in turns, so that their memory has a limit: four bodies of more than 1 MiB, one of
 * an organization at a time, and 32 of more than 16 KiB, at most eight of an organization. A turn
 * begins when the body arrives and ends when the answer begins. Organizations whose turns take long
 * share half of them. A request waits for at most five seconds, then it gets a 503; while it waits, its
 * body stays unread in the connection. A slow body gets a 408 while other requests wait.
 */
async function readInTurns(app: FastifyInstance): Promise<void> {
  const large = new Turns({
    capacity: 4,
    reserve: 3,
    ...waiting,
    slowness: { ms: 2_000, capacity: 2 },
  })
  const medium = new Turns({
    capacity: 32,
    reserve: 24,
    ...waiting,
    // Shorter than `graceMs`, so that a body that is cut off counts as slow.
    slowness: { ms: 500, capacity: 16 },
  })
  const sizes: BodyClass[] = [
    { above: 1_048_576, turns: large, graceMs: 2_000 },
    { above: 16_384, turns: medium, graceMs: 1_000 },
  ]
  app.decorateRequest('endBodyTurn', null)
  app.addHook('preParsing', async (request, reply, payload) => {
    if (neverParsed.includes(request.method)) return
    const bytes = maxBytesOf(request)
    const size = sizes.find(({ above }) => bytes > above)
    if (!size) return
    const end = await size.turns.take(request.turnKey)
    request.endBodyTurn = end
    reply.raw.once('close', end)
    if (reply.raw.destroyed) end()
    else limitArrival(request, reply, payload, size)
  })
  app.addHook('onSend', (request, _reply, _payload, done) => {
    request.endBodyTurn?.()
    done()
  })
}

export const largeBodies = fp(readInTurns, {
  name: 'large-bodies',
  dependencies: ['request-turns', 'security'],
})

function maxBytesOf({ headers, routeOptions }: FastifyRequest): number {
  const isChunked = headers['transfer-encoding'] !== undefined
  const length = isChunked ? Number.POSITIVE_INFINITY : Number(headers['content-length'] ?? 0)
  return Math.min(length, routeOptions.bodyLimit)
}

/** Refuses a body that takes longer than `graceMs`, as soon as another request waits for a turn. */
function limitArrival(
  { raw: request }: FastifyRequest,
  reply: FastifyReply,
  payload: RequestPayload,
  { turns, graceMs }: BodyClass,
): void {
  const since = performance.now()
  const timer = setInterval(() => {
    if (request.complete || request.destroyed) return clearInterval(timer)
    if (turns.queued === 0 || performance.now() - since < graceMs) return
    clearInterval(timer)
    // The error reaches Fastify's parser, which answers without the rest of the body.
    if (payload.listenerCount('error') === 0) return
    reply.header('connection', 'close')
    payload.emit('error', requestTimeout())
  }, checkEveryMs)
  reply.raw.once('close', () => clearInterval(timer))
}
