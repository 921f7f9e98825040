import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { loadContract, type Operation, type OperationId } from '../../src/contract.js'
import { addContractVocabulary } from '../../src/http/validation/formats.js'

interface Answer {
  status: number
  headers: Headers
  body: unknown
}
interface ResponseObject {
  headers?: Record<string, { required?: boolean; $ref?: string }>
  content?: Record<string, { schema: object }>
}

const contract = loadContract()
/** The only format of a time in answers. Requests accept others. */
const answerTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const answers = addContract().addFormat('date-time', answerTime)
let documents: Ajv2020 | undefined

function addContract(): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors: true,
    allowUnionTypes: true,
    strict: true,
    strictSchema: false,
  })
  addContractVocabulary(ajv)
  return ajv.addSchema(closed(contract.document) as object, 'contract')
}

export function operationOf(operationId: OperationId): Operation {
  const operation = contract.operations.find((one) => one.operationId === operationId)
  if (!operation) throw new Error(`No operation ${operationId}`)
  return operation
}

/** The differences between an answer and the contract; an empty list when there are none. */
export function contractFaults(operationId: OperationId, { status, headers, body }: Answer) {
  const { method, path } = operationOf(operationId)
  const pointer = ['paths', path, method.toLowerCase(), 'responses', String(status)]
  const response = resolve(pointer) as { node: ResponseObject; pointer: string[] } | undefined
  if (!response) return [`${operationId} answered ${status}, which the contract does not document`]
  const missing = Object.entries(response.node.headers ?? {}).flatMap(([name, header]) => {
    const { required } = header.$ref
      ? (at(header.$ref.slice(2).split('/')) as { required?: boolean })
      : header
    return required && !headers.has(name)
      ? [`${operationId} ${status} lacks the header ${name}`]
      : []
  })
  missing.push(...cachingFaults(operationId, headers))
  if (!response.node.content) return body === '' ? missing : [...missing, 'an undocumented body']
  const type = headers.get('content-type')?.split(';')[0] ?? ''
  if (!(type in response.node.content)) return [...missing, `the undocumented type ${type}`]
  const schema = [...response.pointer, 'content', type, 'schema']
  const validate = validatorAt(answers, schema)
  if (validate(body)) return missing
  const problems = answers.errorsText(validate.errors, { separator: '\n  ' })
  return [
    ...missing,
    `${operationId} ${status} does not fit:\n  ${problems}\n${JSON.stringify(body)}`,
  ]
}

/** Checks that no cache may store an answer. Answers with a tag, and pictures, may be stored. */
function cachingFaults(operationId: OperationId, headers: Headers): string[] {
  const caching = headers.get('cache-control')
  const usual = headers.has('etag') ? 'private, no-cache' : 'no-store'
  const isUsual = caching === usual || operationId === 'getAvatar'
  const isGuarded = headers.get('x-content-type-options') === 'nosniff'
  return [
    ...(isUsual ? [] : [`${operationId} has Cache-Control: ${caching} instead of ${usual}`]),
    ...(isGuarded ? [] : [`${operationId} lacks X-Content-Type-Options`]),
  ]
}

/** Checks a value against the schema at a place in the contract. Returns the faults. */
export function schemaFaults(pointer: string[], value: unknown): string[] {
  documents ??= addContract()
  const validate = validatorAt(documents, pointer)
  return validate(value) ? [] : [documents.errorsText(validate.errors)]
}

/** Compiled on first use. */
function validatorAt(ajv: Ajv2020, pointer: string[]): ValidateFunction {
  const uri = `contract#/${pointer.map(encodeSegment).join('/')}`
  const validate = ajv.getSchema(uri)
  if (!validate) throw new Error(`The contract has no ${uri}`)
  return validate
}

function encodeSegment(segment: string): string {
  return encodeURIComponent(segment.replaceAll('~', '~0').replaceAll('/', '~1'))
}

function at(pointer: string[]): unknown {
  return pointer.reduce<unknown>(
    (node, key) => (node as Record<string, unknown> | undefined)?.[key],
    contract.document,
  )
}

function resolve(pointer: string[]): { node: unknown; pointer: string[] } | undefined {
  const node = at(pointer) as { $ref?: string } | undefined
  if (!node) return undefined
  return node.$ref ? resolve(node.$ref.slice(2).split('/')) : { node, pointer }
}

/** Returns a copy whose schemas forbid undeclared properties, unless they allow them explicitly. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed)
  if (typeof node !== 'object' || node === null) return node
  const copy = Object.fromEntries(Object.entries(node).map(([key, item]) => [key, closed(item)]))
  const isSchema = 'properties' in node && 'type' in node
  return isSchema && !('additionalProperties' in node)
    ? { ...copy, additionalProperties: false }
    : copy
}
