import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { Turns } from '../turns/turns.js'

const largeBytes = 1024 * 1024

/**
 * Reads large bodies in turns, from when they arrive until they are answered: one of an organization
 * at a time and four in all, so that the memory they take has a bound. A request that waits for five
 * seconds is a 503; until its turn comes, what it sends stays in its connection.
 */
async function readInTurns(app: FastifyInstance): Promise<void> {
  const turns = new Turns({ capacity: 4, reserve: 3, longestQueue: 100, patienceMs: 5_000 })
  app.addHook('preParsing', async (request, reply) => {
    if (!mayBeLarge(request)) return
    const end = await turns.take(request.turnKey)
    reply.raw.once('close', end)
    if (reply.raw.destroyed) end()
  })
}

export const largeBodies = fp(readInTurns, {
  name: 'large-bodies',
  dependencies: ['request-turns', 'security'],
})

function mayBeLarge({ headers, routeOptions }: FastifyRequest): boolean {
  const isChunked = headers['transfer-encoding'] !== undefined
  const length = isChunked ? Number.POSITIVE_INFINITY : Number(headers['content-length'] ?? 0)
  return Math.min(length, routeOptions.bodyLimit) > largeBytes
}
