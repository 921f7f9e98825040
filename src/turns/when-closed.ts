import type { FastifyReply } from 'fastify'

/** Calls back when the answer has been sent or the client has disconnected, even if it had before. */
export function whenClosed({ raw }: FastifyReply, done: () => void): void {
  raw.once('close', done)
  if (raw.destroyed) done()
}
