import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import fp from 'fastify-plugin'

const mostWaiting = 256

/**
 * Begins a request when all before it on its connection are answered. Node hands over at once what a
 * client sends in a row, and would keep all of the answers until the client reads the first. A
 * connection on which too many wait is closed.
 */
export const pipelining = fp(
  async (app) => {
    const waiting = new WeakMap<Socket, number>()
    app.addHook('onRequest', ({ raw: { socket } }, { raw: reply }, done) => {
      // Node keeps on a socket the answer that is under way.
      const { _httpMessage: answer } = socket as Socket & { _httpMessage?: ServerResponse | null }
      if (!answer || answer === reply) return done()
      const count = (waiting.get(socket) ?? 0) + 1
      waiting.set(socket, count)
      if (count > mostWaiting) socket.destroy()
      reply.once('socket', () => {
        waiting.set(socket, (waiting.get(socket) ?? 1) - 1)
        done()
      })
    })
  },
  { name: 'pipelining' },
)
