import { setImmediate as turnOfEventLoop } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { parseInPieces } from './json-pieces.js'
import { countValues } from './json-text.js'

/** Beyond it a body is told its first fault only: each fault takes far more memory than a value. */
const mostValues = 5_000
/** Up to here a body is parsed at once, which takes a few milliseconds. */
const pieceBytes = 65_536
/** How long work on a body may keep the event loop before other requests get a turn. */
const sliceMs = 5

const large = new WeakSet<object>()

/** Whether a parsed body has more values than all of its faults may be told of. */
export const isLarge = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && large.has(body)

/** Does work that pauses, and lets the event loop turn whenever a slice of time is used up. */
export async function inSlices<Result>(work: Generator<void, Result>): Promise<Result> {
  let step = work.next()
  for (let since = performance.now(); !step.done; step = work.next()) {
    if (performance.now() - since < sliceMs) continue
    await turnOfEventLoop()
    since = performance.now()
  }
  return step.value
}

function atOnce<Result>(work: Generator<void, Result>): Result {
  let step = work.next()
  while (!step.done) step = work.next()
  return step.value
}

function* readJson(text: Buffer): Generator<void, unknown> {
  if (text.length === 0) return undefined
  const count = yield* countValues(text)
  const body = yield* parseInPieces(text, pieceBytes)
  if (count > mostValues && typeof body === 'object' && body !== null) large.add(body)
  return body
}

/** Takes JSON and nothing else. What a text may not hold is refused before it is parsed. */
export function parseJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    const text = typeof body === 'string' ? Buffer.from(body) : body
    if (text.length > pieceBytes) {
      inSlices(readJson(text)).then((value) => done(null, value), done)
      return
    }
    try {
      done(null, atOnce(readJson(text)))
    } catch (error) {
      done(error as Error, undefined)
    }
  })
}
