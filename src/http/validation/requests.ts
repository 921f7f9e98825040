import type { ValidateFunction } from 'ajv'
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  HookHandlerDoneFunction,
  RouteOptions,
} from 'fastify'
import fp from 'fastify-plugin'
import type { OperationId } from '../../contract.js'
import { bodyMissing, validationFailed } from '../../errors.js'
import { hasManyValues, parseJsonOnly } from './bodies.js'
import { createCompiler } from './compiler.js'
import type { SchemaObject } from './declared.js'
import { describeFaults, type Part } from './faults.js'
import { dropWhatIsNotGiven } from './query-parameters.js'
import { checkItemsInSlices, slicedListOf } from './sliced-list.js'
import { nameUnknown } from './unknown-names.js'

const parts: Record<string, Part> = { body: 'body', querystring: 'query', params: 'path' }

/**
 * Validates requests against the contract: every fault at once, no conversion of bodies, and of
 * query values only what their text plainly says. The parsed body is JSON or nothing.
 */
async function validateRequests(app: FastifyInstance): Promise<void> {
  const compile = createCompiler()
  const compileBriefly = createCompiler({ allErrors: false })
  app.setValidatorCompiler<SchemaObject>(({ schema, httpPart }) => {
    const part = parts[httpPart ?? 'body'] ?? 'body'
    const validate = compile(schema)
    if (part === 'body') {
      const compilerFor = (body: unknown) => (hasManyValues(body) ? compileBriefly : compile)
      const list = slicedListOf(schema)
      // Fastify waits for a promise, which its type only says of a class of its own.
      if (list) return (body) => checkItemsInSlices(compilerFor(body), list, body) as never
      return (body) => check(part, compilerFor(body)(schema), {}, body)
    }
    const types = part === 'query' ? (schema.properties ?? {}) : {}
    return (data) => check(part, validate, types, data)
  })
  const bodies = new Map<OperationId, SchemaObject>()
  app.decorate('readBodyOf', (operationId, value) => {
    const schema = bodies.get(operationId)
    if (!schema) throw new Error(`Operation ${operationId} has no body`)
    const validate = compile(schema)
    if (!validate(value)) throw validationFailed(describeFaults('body', validate.errors ?? []))
    return value as never
  })
  parseJsonOnly(app)
  app.decorateRequest('unknownParameters', null)
  app.addHook('onRoute', (route) => {
    const { operation } = route.config ?? {}
    if (!operation) return
    const { body, querystring } = describeBody(route)
    if (body) bodies.set(operation.operationId, body)
    route.onRequest = [route.onRequest ?? [], dropWhatIsNotGiven(querystring)].flat()
    route.preValidation = [...(operation.bodyRequired ? [requireBody] : []), nameUnknown(body)]
  })
}

export const validation = fp(validateRequests, { name: 'validation' })

interface RouteSchema {
  body?: SchemaObject
  headers?: SchemaObject
  querystring?: SchemaObject
}

/** Gives a route the schema of its JSON body, which then holds whatever the Content-Type says. */
function describeBody(route: RouteOptions): RouteSchema {
  const schema = (route.schema ?? {}) as RouteSchema
  // A header that says nothing we know is as good as none; Ajv would take away all others.
  delete schema.headers
  const { content } = (schema.body ?? {}) as { content?: Record<string, { schema: SchemaObject }> }
  const json = content?.['application/json']
  if (json) schema.body = json.schema
  return schema
}

function check(
  part: Part,
  validate: ValidateFunction,
  types: NonNullable<SchemaObject['properties']>,
  data: Record<string, unknown>,
) {
  // Whether there must be a body is asked before; an id in the path that cannot be is just unknown.
  if (data === null || data === undefined || part === 'path') return { value: data }
  for (const [name, { type }] of Object.entries(types)) {
    if (name in data) data[name] = readText(type, data[name])
  }
  if (validate(data)) return { value: data }
  return { error: validationFailed(describeFaults(part, validate.errors ?? [])) }
}

/** The number or truth value that the text of a query parameter says; any other text as it is. */
function readText(type: string | string[] | undefined, text: unknown): unknown {
  if (typeof text !== 'string') return text
  if (type === 'integer' && /^-?\d+$/.test(text)) return finite(Number(text))
  if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true'
  return text
}

/** A number of hundreds of digits is an integer all the same, and out of every bound. */
function finite(number: number): number {
  return Math.min(Math.max(number, -Number.MAX_VALUE), Number.MAX_VALUE)
}

/** Refuses a request without the body its operation needs; Fastify would skip the validation. */
function requireBody(
  request: FastifyRequest,
  _reply: FastifyReply,
  done: HookHandlerDoneFunction,
): void {
  done((request.body ?? null) === null ? bodyMissing() : undefined)
}
