import { Readable } from 'node:stream'
import type { Pieces } from '../contract.js'

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
