import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Pause } from '../../turns/slices.js'
import { parseInPieces } from './json-pieces.js'
import { countValues } from './json-text.js'

/** If a body has more values, only its first fault is reported: a fault takes far more memory than a value. */
const maxValuesWithAllFaults = 5_000
/** A body of this size is parsed without a pause, which takes a few milliseconds. */
const pieceBytes = 65_536

const withManyValues = new WeakSet<object>()
const pauses = new WeakMap<object, Pause>()

/** Whether only the first fault of a parsed body is reported. */
export const hasManyValues = (body: unknown): boolean => isObject(body) && withManyValues.has(body)

/** Runs work on a parsed body, in slices if the body is long. */
export async function runOn<Result>(body: unknown, work: Generator<void, Result>) {
  const pause = isObject(body) ? pauses.get(body) : undefined
  return pause ? runInSlices(work, pause) : runWhole(work)
}

async function runInSlices<Result>(work: Generator<void, Result>, pause: Pause): Promise<Result> {
  for (;;) {
    await pause()
    const step = work.next()
    if (step.done) return step.value
  }
}

function runWhole<Result>(work: Generator<void, Result>): Result {
  let step = work.next()
  while (!step.done) step = work.next()
  return step.value
}

function* readJson(text: Buffer): Generator<void, unknown> {
  if (text.length === 0) return undefined
  const count = yield* countValues(text)
  const body = yield* parseInPieces(text, pieceBytes)
  if (count > maxValuesWithAllFaults && isObject(body)) withManyValues.add(body)
  return body
}

/** Parses a long text in slices. Organizations take turns. */
async function readLongJson(request: FastifyRequest, text: Buffer): Promise<unknown> {
  const { server, turnKey, pause } = request
  const end = await server.parsings.take(turnKey)
  try {
    const body = await runInSlices(readJson(text), pause)
    if (isObject(body)) pauses.set(body, pause)
    return body
  } finally {
    setImmediate(end)
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Accepts only JSON bodies. Limits are checked before the text is parsed. */
export function parseJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const text = typeof body === 'string' ? Buffer.from(body) : body
    if (text.length > pieceBytes) {
      readLongJson(request, text).then((value) => done(null, value), done)
      return
    }
    try {
      done(null, runWhole(readJson(text)))
    } catch (error) {
      done(error as Error, undefined)
    }
  })
}
