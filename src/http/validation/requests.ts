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
import { bodyMissing, type ContractError, type Fault, validationFailed } from '../../errors.js'
import { createCompiler, isLarge } from './compiler.js'
import type { SchemaObject } from './declared.js'
import { describeFaults, type Part } from './faults.js'
import { dropWhatIsNotGiven } from './query-parameters.js'

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
    const types = part === 'query' ? (schema.properties ?? {}) : {}
    return (data) => {
      const isBrief = part === 'body' && isLarge(data)
      return check(part, isBrief ? compileBriefly(schema) : validate, types, data)
    }
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
  app.addHook('onRoute', (route) => {
    const { operation } = route.config ?? {}
    if (!operation) return
    const { body, querystring } = describeBody(route)
    if (body) bodies.set(operation.operationId, body)
    route.onRequest = [route.onRequest ?? [], dropWhatIsNotGiven(querystring)].flat()
    if (operation.bodyRequired) route.preValidation = requireBody
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

function parseJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    try {
      done(null, body === '' ? undefined : JSON.parse(body.toString()))
    } catch (error) {
      done(malformedJson(error), undefined)
    }
  })
}

function malformedJson(error: unknown): ContractError {
  // At the end of the message, because what comes before may quote the body.
  const message = error instanceof Error ? error.message : ''
  const offset = /at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(message)?.[1]
  const fault: Fault = {
    loc: offset === undefined ? ['body'] : ['body', offset],
    msg: 'JSON decode error',
    type: 'json_invalid',
  }
  return validationFailed([fault])
}

/** Refuses a request without the body its operation needs; Fastify would skip the validation. */
function requireBody(
  request: FastifyRequest,
  _reply: FastifyReply,
  done: HookHandlerDoneFunction,
): void {
  done((request.body ?? null) === null ? bodyMissing() : undefined)
}
