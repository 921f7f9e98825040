import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Attachment, EventStream, Pieces } from '../contract.js'
import { whenClosed } from '../turns/when-closed.js'

/** How long a reader may take for one piece of an answer. */
const answerStallMs = 30_000

/** Shorter for events: a slow reader holds a page that other readers wait for. */
const eventsStallMs = 10_000

/**
 * Returns a stream that makes one piece at a time, when the connection has taken the piece before.
 * `Readable.from` or a buffer would each keep one more piece for a slow reader. If a reader takes no
 * piece for too long, the stream closes the connection: the connection's own timeout would be twice as
 * long after half a piece.
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
  reply.request.endUnderWay()
  // A stream that waits for an event does not notice that the connection is closed.
  whenClosed(reply, end)
  reply.type('text/event-stream; charset=utf-8').header('x-accel-buffering', 'no')
  return streamOf(events, eventsStallMs)
}
