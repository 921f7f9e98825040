import type { IncomingMessage, Server } from 'node:http'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'

/** The most chunks of a body: 1,024, and one more for every 64 bytes. */
const mostChunks = { atLeast: 1_024, bytesOfOneMore: 64 }

/** The code of the error for a body in more chunks. */
export const chunksTooSmall = 'ERR_CHUNKS_TOO_SMALL'

/**
 * Merges small chunks of a body that arrive together, and refuses a body with far too many. Node
 * hands over each chunk in an object of its own: a MiB that is sent byte by byte would take 400 MiB.
 */
export const smallChunks = fp(
  async ({ server }: FastifyInstance) => {
    // Before Fastify hears of a request, and so before the first chunk of its body.
    server.prependListener('request', (request: IncomingMessage) => {
      const { 'transfer-encoding': coding, 'content-length': length } = request.headers
      const chunks = coding === undefined ? Number(length ?? 0) : Number.POSITIVE_INFINITY
      if (chunks > mostChunks.atLeast) merge(request, server)
    })
  },
  { name: 'small-chunks' },
)

function merge(request: IncomingMessage, server: Server): void {
  const push = request.push.bind(request)
  let held: Buffer[] = []
  let count = 0
  let bytes = 0
  function handOver() {
    if (held.length > 0) push(held.length === 1 ? held[0] : Buffer.concat(held))
    held = []
  }
  request.push = (chunk: Buffer | null) => {
    const most = mostChunks.atLeast + bytes / mostChunks.bytesOfOneMore
    // The end of what was refused is not told, so that nobody takes it for whole.
    if (count > most) return false
    if (chunk === null) {
      handOver()
      return push(null)
    }
    count++
    bytes += chunk.length
    if (count > most) {
      held = []
      const error = Object.assign(new Error('chunks too small'), { code: chunksTooSmall })
      server.emit('clientError', error, request.socket)
    } else if (held.push(chunk) === 1) setImmediate(handOver)
    // Node reads on when somebody asks for more than what is handed over.
    return false
  }
}
