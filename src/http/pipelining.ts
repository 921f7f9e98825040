import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import fp from 'fastify-plugin'

/** The most requests that may wait on one connection, and the most bytes of their headers. */
const mostOfOne = { count: 256, bytes: 262_144 }
/** When more than `many` requests wait on all connections together, one connection may have only 16. */
const many = 4_096
const mostWhileManyWait = 16
/** When more than this waits on all connections together, one request may wait on a connection. */
const mostOfAll = { count: 16_384, bytes: 16 * 1_048_576 }

/** What waits on a connection, or on all of them. */
interface Waiting {
  count: number
  bytes: number
}

/**
 * Begins a request when all before it on its connection are answered. Node hands over at once what a
 * client sends in a row, and would keep all of the answers until the client reads the first. A
 * connection on which too much waits is closed. So is one on which a request waits for the end of an
 * event stream.
 */
export const pipelining = fp(
  async (app) => {
    const connections = new Connections()
    app.addHook('onRequest', ({ raw, routeOptions }, { raw: reply }, done) => {
      const { socket } = raw
      const begin = () => {
        const streams = routeOptions.config.operation?.streamsEvents
        if (!streams || connections.mayStream(socket, reply)) done()
      }
      // Node keeps on a socket the answer that is under way.
      const { _httpMessage: answer } = socket as Socket & { _httpMessage?: ServerResponse | null }
      if (!answer || answer === reply) return begin()
      const endWait = connections.wait(socket, raw, answer)
      reply.once('socket', () => {
        endWait()
        begin()
      })
    })
  },
  { name: 'pipelining' },
)

/** The connections on which requests wait. */
class Connections {
  readonly #waiting = new Map<Socket, Waiting>()
  readonly #all: Waiting = { count: 0, bytes: 0 }
  /** The answers of event streams. */
  readonly #streams = new WeakSet<ServerResponse>()

  /** Counts a request that waits for the end of an answer. Returns a function that ends the wait. */
  wait(socket: Socket, request: IncomingMessage, answer: ServerResponse): () => void {
    const own = this.#waitingOn(socket)
    const bytes = bytesOf(request)
    const add = (change: 1 | -1) => {
      if (!this.#waiting.has(socket)) return
      for (const waiting of [own, this.#all]) {
        waiting.count += change
        waiting.bytes += change * bytes
      }
    }
    add(1)
    if (this.#streams.has(answer) || exceedsLimit(own, this.#all)) socket.destroy()
    return () => add(-1)
  }

  /** Notes that this answer is a stream. If requests wait behind it already, closes the connection. */
  mayStream(socket: Socket, answer: ServerResponse): boolean {
    this.#streams.add(answer)
    const mayStream = !this.#waiting.get(socket)?.count
    if (!mayStream) socket.destroy()
    return mayStream
  }

  #waitingOn(socket: Socket): Waiting {
    const known = this.#waiting.get(socket)
    if (known) return known
    const waiting = { count: 0, bytes: 0 }
    this.#waiting.set(socket, waiting)
    socket.once('close', () => {
      this.#all.count -= waiting.count
      this.#all.bytes -= waiting.bytes
      this.#waiting.delete(socket)
    })
    return waiting
  }
}

function exceedsLimit({ count, bytes }: Waiting, all: Waiting): boolean {
  return count > mostOfOneWhile(all) || bytes > mostOfOne.bytes
}

function mostOfOneWhile({ count, bytes }: Waiting): number {
  if (count > mostOfAll.count || bytes > mostOfAll.bytes) return 1
  return count > many ? mostWhileManyWait : mostOfOne.count
}

const bytesOf = ({ url = '', rawHeaders }: IncomingMessage) =>
  rawHeaders.reduce((sum, { length }) => sum + length, url.length)
