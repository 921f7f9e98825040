import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'

/** How many bytes of answers may wait for their readers. */
const maxBytes = 64 * 1_048_576
/** A shorter answer takes about as much memory as its connection, and is not counted. */
const minBytes = 16_384
/** What counts for an answer that is made in pieces. */
const bytesOfPieces = 131_072

interface UnsentAnswer {
  bytes: number
  cutOff(): void
}

/** Answers that their readers have not taken yet, by organization, the oldest first. */
class Unsent {
  readonly #byKey = new Map<string, { bytes: number; answers: Set<UnsentAnswer> }>()
  #bytes = 0

  /** Counts an answer until it is cut off or the returned function is called. */
  hold(key: string, answer: UnsentAnswer): () => void {
    const own = this.#byKey.get(key) ?? { bytes: 0, answers: new Set() }
    this.#byKey.set(key, own)
    own.answers.add(answer)
    own.bytes += answer.bytes
    this.#bytes += answer.bytes
    while (this.#bytes > maxBytes) this.#cutOffOne()
    return () => this.#release(key, answer)
  }

  /** Cuts off the oldest answer of the organization with the most bytes. */
  #cutOffOne(): void {
    let largest = { key: '', bytes: 0 }
    for (const [key, { bytes }] of this.#byKey) if (bytes > largest.bytes) largest = { key, bytes }
    const [oldest] = this.#byKey.get(largest.key)?.answers ?? []
    if (!oldest) return
    this.#release(largest.key, oldest)
    oldest.cutOff()
  }

  #release(key: string, answer: UnsentAnswer): void {
    const own = this.#byKey.get(key)
    if (!own?.answers.delete(answer)) return
    own.bytes -= answer.bytes
    this.#bytes -= answer.bytes
    if (own.answers.size === 0) this.#byKey.delete(key)
  }
}

/**
 * Limits the memory of unread answers: above the limit, connections of the organization with the most
 * unread bytes are closed. Event streams have their own limit. An answer counts with its size before
 * compression, so with more than it takes.
 */
export const unsent = fp(
  async (app) => {
    const all = new Unsent()
    app.addHook('onSend', (request, reply, payload, done) => {
      const bytes = bytesOf(request, payload)
      // If the client has hung up, there is no `close` event any more.
      if (bytes >= minBytes && !reply.raw.destroyed) {
        reply.raw.once('close', all.hold(request.turnKey, { bytes, cutOff: () => cutOff(reply) }))
      }
      done()
    })
  },
  { name: 'unsent', dependencies: ['request-turns'] },
)

function bytesOf({ routeOptions }: FastifyRequest, payload: unknown): number {
  if (routeOptions.config.operation?.streamsEvents) return 0
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) return payload.length
  return payload ? bytesOfPieces : 0
}

const cutOff = ({ raw }: FastifyReply) => raw.destroy()
