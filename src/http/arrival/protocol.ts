import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Contract } from '../../contract.js'
import {
  badRequest,
  type ContractError,
  expectationFailed,
  headersTooLarge,
  methodNotAllowed,
  payloadTooLarge,
  requestTimeout,
  routeNotFound,
} from '../../errors.js'
import { loggedPath } from '../logging.js'
import { allowedMethods } from './methods.js'
import { cautious, requestIdFrom } from './request-id.js'
import { chunksTooSmall } from './small-chunks.js'

/** How long a request may take to arrive. */
const arrivalMs = 10_000

/**
 * By default Node checks for late requests only every 30 s, and waits 60 s for headers. A request
 * without Host is refused here, in the contract's shape. An answer waits for its reader when 16 KiB are
 * unsent: newer versions of Node would buffer 64 KiB for each connection.
 */
export const serverOptions = {
  requestTimeout: arrivalMs,
  headersTimeout: arrivalMs,
  connectionsCheckingInterval: 1_000,
  requireHostHeader: false,
  highWaterMark: 16_384,
}

/** Refuses in the contract's shape what Node would refuse itself (RFC 9110, 10.1.1; RFC 9112, 3.2). */
async function refuseBrokenRequests(
  app: FastifyInstance,
  { contract }: { contract: Contract },
): Promise<void> {
  const allowedAt = allowedMethods(contract.operations)
  app.server.on('checkExpectation', (request, response) =>
    app.server.emit('request', request, response),
  )
  app.addHook('onRequest', ({ headers, raw, is404 }, _reply, done) => {
    if (headers.host === undefined && raw.httpVersion === '1.1') return done(badRequest())
    if (headers.expect && headers.expect.toLowerCase() !== '100-continue') {
      return done(expectationFailed())
    }
    if (!is404) return done()
    // Before the body is read.
    const allowed = allowedAt(raw.url ?? '/')
    done(allowed === null ? routeNotFound() : methodNotAllowed(allowed))
  })
}

export const protocol = fp(refuseBrokenRequests, {
  name: 'protocol',
  dependencies: ['rate-limits'],
})

const byCode: Record<string, () => ContractError> = {
  ERR_HTTP_REQUEST_TIMEOUT: requestTimeout,
  HPE_HEADER_OVERFLOW: headersTooLarge,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: payloadTooLarge,
  [chunksTooSmall]: payloadTooLarge,
}

/** Answers what Node cannot read as a request: too slow, too large or not HTTP. */
export function refuseConnection(
  this: FastifyInstance,
  error: Error & { code?: string },
  socket: Socket & { _httpMessage?: ServerResponse },
): void {
  // If an answer is already being sent, only close. Node's own handler checks the same field.
  if (error.code === 'ECONNRESET' || !socket.writable || socket._httpMessage?.headersSent) {
    socket.destroy()
    return
  }
  const { statusCode, body } = (byCode[error.code ?? ''] ?? badRequest)()
  // The request, if its headers have arrived.
  const request = socket._httpMessage?.req
  const id = requestIdFrom(request ?? { headers: {} })
  const text = JSON.stringify(body)
  const head = [
    `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    `X-Request-Id: ${id}`,
    ...Object.entries(cautious).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`, () => socket.destroy())
  const path = loggedPath(request?.url ?? '')
  const { method } = request ?? {}
  const ip = socket.remoteAddress
  this.log.info({ request_id: id, method, path, ip, status: statusCode }, 'request')
}

/** Replaces a path that cannot be decoded, so that it gets the usual 404. */
export function decodablePath({ url = '/' }: { url?: string }): string {
  if (!url.includes('%')) return url
  try {
    decodeURI(url.split('?', 1)[0] ?? '')
    return url
  } catch {
    return '/undecodable'
  }
}
