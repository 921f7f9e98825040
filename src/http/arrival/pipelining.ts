import type { Socket } from 'node:net'
import fp from 'fastify-plugin'

/** How many requests of one connection may be under way. Browsers and proxies send one at a time. */
const maxUnderWay = 16

/** Closes a connection with too many requests under way: Node starts all of them at once. */
export const pipelining = fp(
  async (app) => {
    const underWay = new WeakMap<Socket, number>()
    // Each request may watch its connection more than once.
    app.server.on('connection', (socket) => socket.setMaxListeners(4 * maxUnderWay))
    app.addHook('onRequest', ({ raw: { socket } }, { raw: answer }, done) => {
      const count = (underWay.get(socket) ?? 0) + 1
      underWay.set(socket, count)
      answer.once('close', () => underWay.set(socket, (underWay.get(socket) ?? 1) - 1))
      if (count > maxUnderWay) socket.destroy()
      else done()
    })
  },
  { name: 'pipelining' },
)
