import type { FastifyReply } from 'fastify'

/**
 * Calls back once when the answer has been sent or the client has disconnected, even if it had before.
 * An answer that waits behind another one on its connection does not close with it, so the connection
 * itself is watched, too.
 */
export function whenClosed({ raw, request }: FastifyReply, done: () => void): void {
  const { socket } = request.raw
  function end() {
    raw.off('close', end)
    socket.off('close', end)
    done()
  }
  raw.once('close', end)
  socket.once('close', end)
  if (raw.destroyed || socket.destroyed) end()
}
