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
import { bodyMissing, notAnObject, validationFailed } from '../../faults.js'
import { hasManyValues, parseJsonOnly } from './bodies.js'
import { createCompiler } from './compiler.js'
import type { SchemaObject } from './declared.js'
import { describeFaults, type RequestPart } from './faults.js'
import { dropAbsentParameters } from './query-parameters.js'
import { nameUnknown } from './unknown-names.js'

/**
 * Validates requests against the contract, and reports all faults at once. Bodies are never converted;
 * query values only if their text is plainly a number or a boolean. Only JSON bodies are accepted.
 */
async function validateRequests(app: FastifyInstance): Promise<void> {
  const compile = createCompiler()
  const compileForFirstFault = createCompiler({ allErrors: false })
  // A schema is compiled when the first request needs it: all of them would take a second of each start.
  app.setValidatorCompiler<SchemaObject>(({ schema, httpPart }) => {
    if (httpPart === 'querystring') {
      const types = schema.properties ?? {}
      return (query) => check('query', compile(schema), types, query)
    }
    const compilerFor = (body: unknown) => (hasManyValues(body) ? compileForFirstFault : compile)
    return (body) => check('body', compilerFor(body)(schema), {}, body)
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
    const dropParameters = dropAbsentParameters(querystring)
    if (body) bodies.set(operation.operationId, body)
    route.onRequest = [
      route.onRequest ?? [],
      dropParameters,
      ...(body ? [] : [ignoreContent]),
    ].flat()
    const checkPresence = operation.bodyRequired ? requireBody : refuseNull
    route.preValidation = [...(body ? [checkPresence] : []), nameUnknown(body)]
  })
}

export const validation = fp(validateRequests, { name: 'validation' })

interface RouteSchema {
  body?: SchemaObject
  headers?: SchemaObject
  params?: SchemaObject
  querystring?: SchemaObject
}

/** Makes the schema of the JSON body apply to every Content-Type. */
function describeBody(route: RouteOptions): RouteSchema {
  const schema = (route.schema ?? {}) as RouteSchema
  // Headers are not validated: Ajv would remove all that are not declared. Nor are paths: an impossible
  // id is simply unknown.
  delete schema.headers
  delete schema.params
  const { content } = (schema.body ?? {}) as { content?: Record<string, { schema: SchemaObject }> }
  const json = content?.['application/json']
  if (json) schema.body = json.schema
  return schema
}

function check(
  part: RequestPart,
  validate: ValidateFunction,
  types: NonNullable<SchemaObject['properties']>,
  data: Record<string, unknown>,
) {
  // Other checks ask for a missing body.
  if (data === null || data === undefined) return { value: data }
  for (const [name, { type }] of Object.entries(types)) {
    if (name in data) data[name] = readText(type, data[name])
  }
  if (validate(data)) return { value: data }
  return { error: validationFailed(describeFaults(part, validate.errors ?? [])) }
}

/** Reads a query parameter as a number, boolean or list. Returns any other text as it is. */
function readText(type: string | string[] | undefined, text: unknown): unknown {
  if (typeof text !== 'string') return text
  if (type === 'array') return [text]
  if (type === 'integer' && /^-?\d+$/.test(text)) return finite(Number(text))
  if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true'
  return text
}

/** A number with hundreds of digits would become infinite, which is not an integer. */
function finite(number: number): number {
  return Math.min(Math.max(number, -Number.MAX_VALUE), Number.MAX_VALUE)
}

/** Leaves content unread that the operation does not take. */
function ignoreContent(
  { headers }: FastifyRequest,
  _reply: FastifyReply,
  done: HookHandlerDoneFunction,
): void {
  for (const name of ['content-type', 'content-length', 'transfer-encoding']) delete headers[name]
  done()
}

/** Refuses a request without its required body; Fastify would skip the validation. */
function requireBody(
  request: FastifyRequest,
  _reply: FastifyReply,
  done: HookHandlerDoneFunction,
): void {
  done((request.body ?? null) === null ? bodyMissing() : undefined)
}

/** Refuses the body `null` where a body may be left out; Fastify would skip the validation. */
function refuseNull(
  request: FastifyRequest,
  _reply: FastifyReply,
  done: HookHandlerDoneFunction,
): void {
  const [type, msg] = notAnObject
  done(request.body === null ? validationFailed([{ loc: ['body'], msg, type }]) : undefined)
}
