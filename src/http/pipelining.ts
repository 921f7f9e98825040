import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import fp from 'fastify-plugin'

/** The most requests that may wait on one connection, and the most bytes of their headers. */
const mostOfOne = { count: 256, bytes: 262_144 }
/** When more than `many` requests wait on all connections together, one connection may have only 16. */
const many = 4_096
const mostWhileManyWait = 16

/** What waits on a connection. */
interface Waiting {
  count: number
  bytes: number
}

/**
 * Begins a request when all before it on its connection are answered. Node hands over at once what a
 * client sends in a row, and would keep all of the answers until the client reads the first. A
 * connection on which too much waits is closed.
 */
export const pipelining = fp(
  async (app) => {
    const connections = new Map<Socket, Waiting>()
    let all = 0
    function add(socket: Socket, request: IncomingMessage, change: 1 | -1): void {
      const waiting = connections.get(socket)
      if (!waiting) return
      waiting.count += change
      waiting.bytes += change * bytesOf(request)
      all += change
      if (exceedsLimit(waiting, all)) socket.destroy()
    }
    function watch(socket: Socket): void {
      if (connections.has(socket)) return
      const waiting = { count: 0, bytes: 0 }
      connections.set(socket, waiting)
      socket.once('close', () => {
        all -= waiting.count
        connections.delete(socket)
      })
    }
    app.addHook('onRequest', ({ raw }, { raw: reply }, done) => {
      const { socket } = raw
      // Node keeps on a socket the answer that is under way.
      const { _httpMessage: answer } = socket as Socket & { _httpMessage?: ServerResponse | null }
      if (!answer || answer === reply) return done()
      watch(socket)
      add(socket, raw, 1)
      reply.once('socket', () => {
        add(socket, raw, -1)
        done()
      })
    })
  },
  { name: 'pipelining' },
)

function exceedsLimit({ count, bytes }: Waiting, all: number): boolean {
  const most = all > many ? mostWhileManyWait : mostOfOne.count
  return count > most || bytes > mostOfOne.bytes
}

const bytesOf = ({ url = '', rawHeaders }: IncomingMessage) =>
  rawHeaders.reduce((sum, { length }) => sum + length, url.length)
