import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import fp from 'fastify-plugin'

/** How many requests may wait on one connection, and how many bytes of headers they may have. */
const maxOnOne = { count: 256, bytes: 262_144 }
/** If more than `many` requests wait on all connections, at most 16 may wait on one connection. */
const many = 4_096
const maxWhileManyWait = 16
/** If more than this waits on all connections, at most one request may wait on one connection. */
const maxOnAll = { count: 16_384, bytes: 16 * 1_048_576 }

/** The requests that wait on one connection, or on all of them. */
interface Waiting {
  count: number
  bytes: number
}

/**
 * Starts a request when all earlier ones on its connection are answered. Node would start all of them
 * at once, and keep their answers until the client reads the first. A connection on which too many
 * requests wait is closed. So is one on which a request waits for the end of an event stream.
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
      // Node stores the current answer on the socket.
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
  /** The answers that are event streams. */
  readonly #streams = new WeakSet<ServerResponse>()

  /** Counts a request that waits for the end of an answer. Call the returned function when it ends. */
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

  /** Notes that an answer is a stream. Closes the connection if requests already wait behind it. */
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
  return count > maxOnOneWhile(all) || bytes > maxOnOne.bytes
}

function maxOnOneWhile({ count, bytes }: Waiting): number {
  if (count > maxOnAll.count || bytes > maxOnAll.bytes) return 1
  return count > many ? maxWhileManyWait : maxOnOne.count
}

const bytesOf = ({ url = '', rawHeaders }: IncomingMessage) =>
  rawHeaders.reduce((sum, { length }) => sum + length, url.length)
