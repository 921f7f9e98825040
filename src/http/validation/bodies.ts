import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { charsetNotSupported, unsupportedMediaType } from '../../errors.js'
import { countValues, parseJson, readUtf8 } from './json-text.js'

/** If a body has more values, only its first fault is reported: a fault takes far more memory than a value. */
const maxValuesWithAllFaults = 5_000

const withManyValues = new WeakSet<object>()

/** Whether only the first fault of a parsed body is reported. */
export const hasManyValues = (body: unknown): boolean => isObject(body) && withManyValues.has(body)

/**
 * Accepts only JSON bodies in UTF-8. Limits are checked before the text is parsed. A request without
 * content may name any type: axios, curl and PHP name that of a form.
 */
export function parseJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      done(null, readJson(body as Buffer, request))
    } catch (error) {
      done(error as Error, undefined)
    }
  })
  app.addContentTypeParser('*', async (_request: FastifyRequest, content: IncomingMessage) => {
    for await (const _ of content.iterator({ destroyOnReturn: false })) throw unsupportedMediaType()
  })
}

function readJson(bytes: Buffer, { headers, routeOptions }: FastifyRequest): unknown {
  if (bytes.length === 0) return undefined
  const [, charset = 'utf-8'] =
    /;\s*charset="?([^\s;"]*)/i.exec(headers['content-type'] ?? '') ?? []
  if (!/^utf-?8$/i.test(charset)) throw charsetNotSupported()
  const text = readUtf8(bytes)
  const count = countValues(text, routeOptions.bodyLimit)
  const body = parseJson(text.toString())
  if (count > maxValuesWithAllFaults && isObject(body)) withManyValues.add(body)
  return body
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
