import type { IncomingMessage, Server } from 'node:http'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'

/** How many chunks a body may have: 1,024, and one more for every 64 bytes. */
const maxChunks = { atLeast: 1_024, bytesOfOneMore: 64 }

/** The error code of a body with too many chunks. */
export const chunksTooSmall = 'ERR_CHUNKS_TOO_SMALL'

/**
 * Merges small chunks of a body that arrive together, and refuses a body with too many. Node makes an
 * object for each chunk: a MiB that is sent byte by byte would take 400 MiB.
 */
export const smallChunks = fp(
  async ({ server }: FastifyInstance) => {
    // Before Fastify gets the request, and so before the first chunk of its body.
    server.prependListener('request', (request: IncomingMessage) => {
      const { 'transfer-encoding': coding, 'content-length': length } = request.headers
      const chunks = coding === undefined ? Number(length ?? 0) : Number.POSITIVE_INFINITY
      if (chunks > maxChunks.atLeast) merge(request, server)
    })
  },
  { name: 'small-chunks' },
)

function merge(request: IncomingMessage, server: Server): void {
  const push = request.push.bind(request)
  let held: Buffer[] = []
  let count = 0
  let bytes = 0
  function flush() {
    if (held.length > 0) push(held.length === 1 ? held[0] : Buffer.concat(held))
    held = []
  }
  request.push = (chunk: Buffer | null) => {
    const max = maxChunks.atLeast + bytes / maxChunks.bytesOfOneMore
    // Do not pass on the end of a refused body: it would look complete.
    if (count > max) return false
    if (chunk === null) {
      flush()
      return push(null)
    }
    count++
    bytes += chunk.length
    if (count > max) {
      held = []
      const error = Object.assign(new Error('chunks too small'), { code: chunksTooSmall })
      server.emit('clientError', error, request.socket)
    } else if (held.push(chunk) === 1) setImmediate(flush)
    // Node reads on when the reader asks for more.
    return false
  }
}
