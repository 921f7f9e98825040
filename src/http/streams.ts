import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Attachment, EventStream, Pieces } from '../contract.js'

/** How long a reader may leave one piece of an answer untaken. */
const answerStallMs = 30_000

/** The same for events, which wait for a page that other readers could have. */
const eventsStallMs = 10_000

/**
 * Pieces of an answer, one at a time: the next one is made when the connection has taken the one
 * before. `Readable.from` and a buffer in between would each keep one more for a reader who does not
 * read. A connection that leaves a piece untaken for too long is closed: its own timeout is twice as
 * long when a piece is half sent.
 */
export function streamOf(pieces: Pieces, stallMs = answerStallMs): Readable {
  const iterator = pieces[Symbol.asyncIterator]()
  let stall: NodeJS.Timeout | undefined
  const stream = new Readable({
    highWaterMark: 0,
    read() {
      clearTimeout(stall)
      iterator.next().then(send, (error: Error) => stream.destroy(error))
    },
    destroy(error, done) {
      clearTimeout(stall)
      Promise.resolve(iterator.return?.()).then(
        () => done(error),
        (failure: Error) => done(error ?? failure),
      )
    },
  })
  function send({ done, value }: IteratorResult<string | Buffer, unknown>): void {
    if (done) {
      stream.push(null)
      return
    }
    if (!stream.destroyed) stall = setTimeout(() => stream.destroy(), stallMs).unref()
    stream.push(value)
  }
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
  return streamOf(events, eventsStallMs)
}
