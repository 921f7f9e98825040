import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { rateLimited } from '../errors.js'
import { whenClosed } from '../turns/when-closed.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** The request no longer counts as under way, such as an event stream that has begun. */
    endUnderWay: () => void
    /** What the handler of the request does; null before it begins. */
    work: Promise<unknown> | null
  }
}

/** How many requests of a person may be under way at once. A browser has six over HTTP/1.1. */
const maxUnderWay = 16

/**
 * Limits the requests that one user or seat has under way, so that one person cannot take the turns of
 * their organization from all others. An event stream counts until it begins: then it has limits of its
 * own. API keys have no limit.
 */
export const underWay = fp(
  async (app) => {
    app.decorateRequest('endUnderWay', () => {})
    app.decorateRequest('work', null)
    if (!app.config.rateLimit) return
    const counts = new Map<string, number>()
    app.addHook('onRequest', (request, reply, done) => {
      const person = personOf(request)
      if (person === null) return done()
      const count = counts.get(person) ?? 0
      if (count >= maxUnderWay) return done(rateLimited(1))
      counts.set(person, count + 1)
      request.endUnderWay = () => {
        request.endUnderWay = () => {}
        const left = (counts.get(person) ?? 1) - 1
        if (left > 0) counts.set(person, left)
        else counts.delete(person)
      }
      // The work goes on if the caller hangs up.
      whenClosed(reply, () => {
        Promise.allSettled([request.work]).then(() => request.endUnderWay())
      })
      done()
    })
  },
  { name: 'under-way', dependencies: ['rate-limits'], decorators: { fastify: ['config'] } },
)

/** The user or seat of a valid access token; null for other callers. */
function personOf({ headers, limitedAs, routeOptions }: FastifyRequest): string | null {
  const { operation } = routeOptions.config
  return headers.authorization === undefined || operation?.isOfStrangers ? null : limitedAs
}
