import type { FastifyInstance, FastifyReply, FastifyRequest, RequestPayload } from 'fastify'
import fp from 'fastify-plugin'
import { requestTimeout } from '../errors.js'
import { Turns } from '../turns/turns.js'

interface Size {
  /** Of how many bytes a body has more. */
  above: number
  turns: Turns
  /** How long a body may take to arrive while others wait for its turn. */
  graceMs: number
}

const waiting = { longestQueue: 500, patienceMs: 5_000 }
const lookEveryMs = 250

/**
 * Reads large bodies in turns, from when they arrive until they are answered, so that the memory they
 * take has a bound: four of more than a MiB, one of an organization at a time, and 32 of more than
 * 16 KiB, of which one organization has eight at most. A request waits for five seconds at most,
 * then it is a 503; until its turn comes, what it sends stays in its connection. Who sends slowly while
 * others wait loses the turn, with 408.
 */
async function readInTurns(app: FastifyInstance): Promise<void> {
  const large = new Turns({ capacity: 4, reserve: 3, ...waiting })
  const medium = new Turns({ capacity: 32, reserve: 24, ...waiting })
  const sizes: Size[] = [
    { above: 1_048_576, turns: large, graceMs: 2_000 },
    { above: 16_384, turns: medium, graceMs: 1_000 },
  ]
  app.addHook('preParsing', async (request, reply, payload) => {
    const bytes = mostBytes(request)
    const size = sizes.find(({ above }) => bytes > above)
    if (!size) return
    const end = await size.turns.take(request.turnKey)
    reply.raw.once('close', end)
    if (reply.raw.destroyed) end()
    else hurry(request, reply, payload, size)
  })
}

export const largeBodies = fp(readInTurns, {
  name: 'large-bodies',
  dependencies: ['request-turns', 'security'],
})

function mostBytes({ headers, routeOptions }: FastifyRequest): number {
  const isChunked = headers['transfer-encoding'] !== undefined
  const length = isChunked ? Number.POSITIVE_INFINITY : Number(headers['content-length'] ?? 0)
  return Math.min(length, routeOptions.bodyLimit)
}

/** Refuses what has not arrived after the grace, as soon as somebody waits for a turn. */
function hurry(
  { raw: request }: FastifyRequest,
  reply: FastifyReply,
  payload: RequestPayload,
  { turns, graceMs }: Size,
): void {
  const since = performance.now()
  const timer = setInterval(() => {
    if (request.complete || request.destroyed) return clearInterval(timer)
    if (turns.queued === 0 || performance.now() - since < graceMs) return
    clearInterval(timer)
    // Whoever reads the body hears of it, and answers. What is still to come is not waited for.
    if (payload.listenerCount('error') === 0) return
    reply.header('connection', 'close')
    payload.emit('error', requestTimeout())
  }, lookEveryMs)
  reply.raw.once('close', () => clearInterval(timer))
}
