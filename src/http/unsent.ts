import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'

/** How many bytes of answers wait for their readers at most. */
const mostBytes = 64 * 1_048_576
/** What is shorter takes about as much as its connection, and is not counted. */
const shortest = 16_384
/** Of an answer that is made piece by piece, as its reader takes it. */
const bytesOfPieces = 131_072

interface Answer {
  bytes: number
  cutOff(): void
}

/** Answers whose readers have not taken them yet, of each organization the oldest first. */
class Unsent {
  readonly #byKey = new Map<string, { bytes: number; answers: Set<Answer> }>()
  #bytes = 0

  /** Counts an answer until the function that is returned is called, or it is cut off. */
  hold(key: string, answer: Answer): () => void {
    const own = this.#byKey.get(key) ?? { bytes: 0, answers: new Set() }
    this.#byKey.set(key, own)
    own.answers.add(answer)
    own.bytes += answer.bytes
    this.#bytes += answer.bytes
    while (this.#bytes > mostBytes) this.#cutOffOne()
    return () => this.#letGo(key, answer)
  }

  /** The oldest of the organization that has most. */
  #cutOffOne(): void {
    let most = { key: '', bytes: 0 }
    for (const [key, { bytes }] of this.#byKey) if (bytes > most.bytes) most = { key, bytes }
    const [oldest] = this.#byKey.get(most.key)?.answers ?? []
    if (!oldest) return
    this.#letGo(most.key, oldest)
    oldest.cutOff()
  }

  #letGo(key: string, answer: Answer): void {
    const own = this.#byKey.get(key)
    if (!own?.answers.delete(answer)) return
    own.bytes -= answer.bytes
    this.#bytes -= answer.bytes
    if (own.answers.size === 0) this.#byKey.delete(key)
  }
}

/**
 * Bounds the memory of answers that nobody reads: when they are too much together, connections of
 * the organization with most of it are closed. Events have a bound of their own.
 */
export const unsent = fp(
  async (app) => {
    const all = new Unsent()
    app.addHook('onSend', (request, reply, payload, done) => {
      const bytes = bytesOf(request, payload)
      // An answer to a client who has hung up is not sent, and does not close again.
      if (bytes >= shortest && !reply.raw.destroyed) {
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
