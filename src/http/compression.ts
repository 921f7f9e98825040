import compress from '@fastify/compress'
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onSendHookHandler,
  RouteOptions,
} from 'fastify'
import fp from 'fastify-plugin'

const compressible = /^text\/|[/+](json|yaml|xml|javascript)(;|$)/
/** A shorter answer would save one packet at most, and would be slower. */
const minBytes = 2_048
/** A longer answer would block other requests for more than about ten milliseconds. */
const maxBytes = 524_288
/** Higher levels take longer and hardly save more. */
const zlibOptions = { level: 3 }

/**
 * Compresses answers with gzip, which every browser supports; Brotli would save 8 % more on a list.
 * Answers that are made in pieces are not compressed, so that each piece is made when its reader takes
 * it. Compressed request bodies are not supported: a small one could unpack to a very large one.
 */
async function compressAnswers(app: FastifyInstance): Promise<void> {
  await app.register(compress, {
    globalDecompression: false,
    encodings: ['gzip', 'identity'],
    customTypes: compressible,
    threshold: minBytes,
    // Compress in one piece, so that the memory of an unsent answer is known.
    syncThreshold: maxBytes,
    zlibOptions,
  })
  app.addHook('onRoute', compressFirst)
}

export const compression = fp(compressAnswers, {
  name: 'compression',
})

/**
 * Moves the plugin's hook, which is the last one, to the front. For HEAD, Fastify's own hook drops the
 * text and sets the length, which must be the length of the compressed text.
 */
function compressFirst(route: RouteOptions): void {
  if (route.compress === false) return
  const hooks: onSendHookHandler[] = [route.onSend ?? []].flat()
  const compressing = hooks.pop()
  if (compressing) route.onSend = [onlyTexts(compressing), varyByCoding, ...hooks]
}

/** Runs the hook only for texts of a suitable length. */
function onlyTexts(compressing: onSendHookHandler): onSendHookHandler {
  return function (request, reply, payload, done) {
    const isText = typeof payload === 'string' || Buffer.isBuffer(payload)
    const bytes = isText ? Buffer.byteLength(payload) : 0
    if (bytes < minBytes || bytes > maxBytes) return done(null, payload)
    return compressing.call(this, request, reply, payload, done)
  }
}

/** Each answer with a tag gets `Vary`, also a 304 (RFC 9110, 15.4.5). */
function varyByCoding(
  _request: FastifyRequest,
  reply: FastifyReply,
  _payload: unknown,
  done: () => void,
): void {
  const vary = String(reply.getHeader('vary') ?? '')
  if (reply.hasHeader('etag') && !/accept-encoding/i.test(vary)) {
    reply.header('vary', vary ? `${vary}, accept-encoding` : 'accept-encoding')
  }
  done()
}
