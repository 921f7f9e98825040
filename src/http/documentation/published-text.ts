import { promisify } from 'node:util'
import zlib from 'node:zlib'
import negotiate from '@fastify/accept-negotiator'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { entityTagOf, isKnown } from '../../formats/entity-tags.js'

const gzip = promisify(zlib.gzip)
const brotli = promisify(zlib.brotliCompress)

/** Runs once for each text, so it may take longer than for other answers: about 50 ms for Brotli. */
const compressions = {
  br: (bytes: Buffer) => brotli(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (bytes: Buffer) => gzip(bytes, { level: 9 }),
}
type Coding = keyof typeof compressions
const codings: Coding[] = ['br', 'gzip']

/** A text that is the same for all callers until the service restarts. It is made for the first caller. */
export class PublishedText {
  readonly #make: () => Buffer
  readonly #variants: Partial<Record<Coding, Promise<Buffer>>> = {}
  #bytes: Buffer | undefined
  #tag: string | undefined

  constructor(
    readonly type: string,
    make: () => Buffer,
  ) {
    this.#make = make
  }

  get bytes(): Buffer {
    this.#bytes ??= this.#make()
    return this.#bytes
  }

  get tag(): string {
    this.#tag ??= entityTagOf(this.bytes)
    return this.#tag
  }

  /** Returns the compressed text. It is compressed once, for the first caller. */
  variant(coding: Coding): Promise<Buffer> {
    this.#variants[coding] ??= compressions[coding](this.bytes)
    return this.#variants[coding]
  }
}

/** Sends a text in the coding that the caller prefers, or a 304 if the caller has it already. */
export async function sendText(
  { headers }: Pick<FastifyRequest, 'headers'>,
  reply: FastifyReply,
  text: PublishedText,
): Promise<FastifyReply> {
  const vary = reply.getHeader('vary')
  reply.header('vary', vary ? `${vary}, accept-encoding` : 'accept-encoding')
  reply.headers({ etag: text.tag, 'cache-control': 'no-cache' })
  if (isKnown({ headers }, text.tag)) return reply.code(304).send()
  reply.type(text.type)
  const wanted = negotiate(headers['accept-encoding'] ?? '', [...codings, 'identity'])
  const coding = codings.find((one) => one === wanted)
  if (!coding) return reply.send(text.bytes)
  return reply.header('content-encoding', coding).send(await text.variant(coding))
}
