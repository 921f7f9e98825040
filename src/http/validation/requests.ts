import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import { loadContract, type Operation, type Schema, type SchemaName } from '../../contract.js'
import { bodyMissing, type ContractError, type Fault, validationFailed } from '../../errors.js'
import { declaredOnly, type SchemaObject } from './declared.js'
import { enforceable } from './enforcement.js'
import { describeFaults, type Part } from './faults.js'
import { addContractVocabulary } from './formats.js'
import { dropWhatIsNotGiven } from './query-parameters.js'

/** Ajv for what requests bring: all faults, defaults, no conversion, unknown fields taken away. */
function createAjv() {
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    strict: true,
    allowUnionTypes: true,
    useDefaults: true,
    removeAdditional: true,
    coerceTypes: false,
  })
  return addContractVocabulary(ajv)
}

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * A value as a schema of the contract describes it, as if it were the body of a request. Throws
     * 422 with its faults otherwise.
     */
    readBodyAs<Name extends SchemaName>(name: Name, value: unknown): Schema<Name>
  }
}

const parts: Record<string, Part> = { body: 'body', querystring: 'query', params: 'path' }

/**
 * Validates requests against the contract: every fault at once, no conversion of bodies, and of
 * query values only what their text plainly says. The parsed body is JSON or nothing.
 */
async function validateRequests(app: FastifyInstance): Promise<void> {
  const ajv = createAjv()
  app.setValidatorCompiler<SchemaObject>(({ schema, httpPart }) => {
    const part = parts[httpPart ?? 'body'] ?? 'body'
    const validate = ajv.compile(declaredOnly(schema))
    const types = part === 'query' ? (schema.properties ?? {}) : {}
    return (data) => check(part, validate, types, data)
  })
  const bodies = bodySchemas()
  app.decorate('readBodyAs', (name, value) => {
    const validate = bodies(name)
    if (!validate(value)) throw validationFailed(describeFaults('body', validate.errors ?? []))
    return value as never
  })
  parseJsonOnly(app)
  app.addHook('onRoute', validateRoute)
}

export const validation = fp(validateRequests, { name: 'validation' })

/** The schema of a body holds whatever the Content-Type says of it. */
function validateRoute(route: RouteOptions): void {
  const { schema, config } = route
  if (!config?.operation) return
  route.onRequest = [route.onRequest ?? [], dropWhatIsNotGiven(schema?.querystring)].flat()
  route.preValidation = requireBody(config.operation)
  const body = schema?.body as { content?: Record<string, { schema: unknown }> } | undefined
  if (schema && body?.content) schema.body = body.content['application/json']?.schema
}

/** Validators by the name of a schema, each compiled when it is first asked for. */
function bodySchemas(): (name: string) => ValidateFunction {
  const validators = new Map<string, ValidateFunction>()
  return (name) => {
    const validate = validators.get(name) ?? compileSchema(name)
    validators.set(name, validate)
    return validate
  }
}

function compileSchema(name: string): ValidateFunction {
  const { components } = enforceable(loadContract().document) as {
    components: { schemas: Record<string, SchemaObject> }
  }
  const entries = Object.entries(components.schemas)
  const schemas = Object.fromEntries(entries.map(([key, one]) => [key, declaredOnly(one)]))
  const $ref = `#/components/schemas/${name}`
  return createAjv().addVocabulary(['components']).compile({ $ref, components: { schemas } })
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
function requireBody(operation: Operation) {
  return async (request: FastifyRequest): Promise<void> => {
    if (operation.bodyRequired && (request.body ?? null) === null) throw bodyMissing()
  }
}
