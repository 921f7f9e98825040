import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { type EndTurn, Turns } from '../../turns/turns.js'
import { whenClosed } from '../../turns/when-closed.js'

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
}

const waiting = { longestQueue: 500, patienceMs: 5_000 }
/** Methods whose bodies Fastify does not read. */
const neverParsed = ['GET', 'HEAD']

/**
 * Reads large bodies in turns, so that their memory has a limit: four bodies of more than 128 KiB, one of
 * an organization at a time, and 32 of more than 16 KiB, at most four of an organization. So the event loop
 * parses one large body of an organization, and then others have their turn. A turn begins when the body
 * arrives and ends when the answer begins. Organizations whose turns take long share half of them. A
 * request waits for at most five seconds, then it gets a 503; while it waits, its body stays unread in the
 * connection.
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
    reserve: 28,
    ...waiting,
    slowness: { ms: 500, capacity: 16 },
  })
  const sizes: BodyClass[] = [
    { above: 131_072, turns: large },
    { above: 16_384, turns: medium },
  ]
  async function takeTurn(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const bytes = maxBytesOf(request)
    const size = sizes.find(({ above }) => bytes > above)
    if (!size) return
    const end = await size.turns.take(request.turnKey)
    request.endBodyTurn = end
    whenClosed(reply, end)
  }

  app.decorateRequest('endBodyTurn', null)
  app.addHook('onRoute', (route) => {
    if ([route.method].flat().some((method) => neverParsed.includes(method))) return
    route.preParsing = [route.preParsing ?? [], takeTurn].flat()
    route.onSend = [route.onSend ?? [], endTurn].flat()
  })
}

function endTurn(
  request: FastifyRequest,
  _reply: FastifyReply,
  _payload: unknown,
  done: () => void,
): void {
  request.endBodyTurn?.()
  done()
}

export const largeBodies = fp(readInTurns, {
  name: 'large-bodies',
  dependencies: ['request-turns', 'security'],
})

/**
 * How many bytes a body may have. One of unknown length counts as 128 KiB, unless its operation allows
 * more than 1 MiB: most of them are short, and should not wait for each other.
 */
function maxBytesOf({ headers, routeOptions: { bodyLimit } }: FastifyRequest): number {
  if (headers['transfer-encoding'] === undefined) {
    return Math.min(Number(headers['content-length'] ?? 0), bodyLimit)
  }
  return bodyLimit > 1_048_576 ? bodyLimit : Math.min(bodyLimit, 131_072)
}
