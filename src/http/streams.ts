import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Attachment, EventStream, Pieces } from '../contract.js'

/** How long a reader may take nothing. */
const stallMs = 30_000

/**
 * Pieces of text as they are wanted. Who takes nothing for 30 s is cut off: the timeout of a
 * connection is twice as long for one on which a piece is half sent.
 */
export function streamOf(pieces: Pieces): Readable {
  async function* read() {
    for await (const piece of pieces) {
      const timer = setTimeout(() => stream.destroy(), stallMs).unref()
      try {
        yield piece
      } finally {
        clearTimeout(timer)
      }
    }
  }
  const stream = Readable.from(read(), { highWaterMark: 1 })
  return stream
}

export function sendAttachment(reply: FastifyReply, { type, name, content }: Attachment) {
  reply.type(type).header('content-disposition', `attachment; filename="${name}"`)
  return streamOf(content)
}

export function sendEvents(reply: FastifyReply, { events, end }: EventStream) {
  // A stream that waits for an event does not notice by itself that its reader is gone.
  reply.raw.once('close', end)
  if (reply.raw.destroyed) end()
  reply.type('text/event-stream; charset=utf-8').header('cache-control', 'no-store')
  reply.header('x-accel-buffering', 'no')
  return streamOf(events)
}
