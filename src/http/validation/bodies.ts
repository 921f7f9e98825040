import type { FastifyInstance } from 'fastify'
import { countValues, jsonInvalid } from './json-size.js'

/** If a body has more values, only its first fault is reported: a fault takes far more memory than a value. */
const maxValuesWithAllFaults = 5_000

const withManyValues = new WeakSet<object>()

/** Whether only the first fault of a parsed body is reported. */
export const hasManyValues = (body: unknown): boolean => isObject(body) && withManyValues.has(body)

/** Accepts only JSON bodies. Limits are checked before the text is parsed. */
export function parseJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      done(null, readJson(body as Buffer, request.routeOptions.bodyLimit))
    } catch (error) {
      done(error as Error, undefined)
    }
  })
}

function readJson(text: Buffer, bodyLimit: number): unknown {
  if (text.length === 0) return undefined
  const count = countValues(text, bodyLimit)
  const body = parse(text.toString())
  if (count > maxValuesWithAllFaults && isObject(body)) withManyValues.add(body)
  return body
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    // Only at the end of the message, because its beginning may quote the body.
    const message = error instanceof Error ? error.message : ''
    const position = /at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(message)?.[1]
    throw jsonInvalid(position === undefined ? null : Number(position))
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
