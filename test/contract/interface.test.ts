import type { OperationId } from '../../src/contract.js'
import { operationOf } from '../helpers/contract.js'
import { t } from '../helpers/file.js'
import { answers, endpoints, requests } from '../helpers/interface.js'
import {
  locate,
  mediaAt,
  objectOf,
  parametersOf,
  pointerOf,
  requestMedia,
  resolveSchema,
  type SchemaObject,
} from '../helpers/walk.js'

const nameOf = (ref: string) => ref.split('/').at(-1) ?? ''
/** Whether a schema is a table of the interface. Other named schemas are plain types. */
const isTable = (schema: SchemaObject) => resolveSchema(schema).properties !== undefined

const typesOf = ({ type, anyOf = [] }: SchemaObject): string[] =>
  type ? [type].flat() : anyOf.flatMap((form) => typesOf(resolveSchema(form)))

/** Returns a schema in the notation of the interface. For a request, without upper limits. */
function describe(schema: SchemaObject, isRequest: boolean): string {
  if (schema.$ref && isTable(schema)) return nameOf(schema.$ref)
  const resolved = resolveSchema(schema)
  const { format, items, default: preset } = resolved
  const types = typesOf(resolved)
  const [base = ''] = types.filter((name) => name !== 'null')
  const words = [
    resolved.enum?.join('|') ??
      (items && `${describe(items, isRequest).split(' ')[0]}[]`) ??
      (format === 'date-time' ? format : base),
    bounds(resolved, isRequest),
    preset === undefined ? '' : `= ${preset}`,
    types.includes('null') ? '?' : '',
  ]
  return words.filter(Boolean).join(' ')
}

function bounds({ anyOf, ...beside }: SchemaObject, isRequest: boolean) {
  // Next to known values, the limits come from the form for any text.
  const form = anyOf?.find(({ type }) => type === 'string')
  const { minLength, maxLength, minimum, maximum } = { ...form, ...beside }
  const least = minLength ?? minimum
  const most = isRequest ? '' : (maxLength ?? maximum ?? '')
  return least === undefined && most === '' ? '' : `${least ?? ''}..${most}`
}

function fieldsOf(name: string, isRequest: boolean): Record<string, string> {
  const { properties, required } = locate<SchemaObject>(['components', 'schemas', name]).node
  return Object.fromEntries(
    Object.entries(properties ?? {}).map(([field, schema]) => [
      field,
      `${describe(schema, isRequest)}${required?.includes(field) ? ' !' : ''}`,
    ]),
  )
}

const only = (fields: Record<string, string>, names: object) =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => name in names))

t.test('Resources', async (t) => {
  for (const [name, fields] of Object.entries(answers)) {
    t.test(`${name} has the fields of the interface`, async (t) => {
      const found = fieldsOf(name, false)
      // A grant has more fields than the interface asks for.
      t.strictSame(name === 'TokenGrant' ? only(found, fields) : found, fields)
    })
  }
})

t.test('Requests', async (t) => {
  for (const [name, fields] of Object.entries(requests)) {
    t.test(`${name} has the fields of the interface`, async (t) => {
      const found = fieldsOf(name, true)
      // For fields that null does not change, the contract has separate fields that clear them.
      t.strictSame(name === 'ExperimentUpdate' ? only(found, fields) : found, fields)
    })
  }

  t.test('for a registration have the education and certifications of a User', async (t) => {
    const names = (schema: string) => Object.keys(fieldsOf(schema, true)).sort()
    t.strictSame(names('RegistrationEducation'), names('Education'))
    t.strictSame(names('RegistrationCertification'), names('Certification'))
  })

  t.test('add no required field to the interface', async (t) => {
    for (const name of ['RegistrationEducation', 'RegistrationCertification', 'Experience']) {
      t.notOk(Object.values(fieldsOf(name, true)).some((field) => field.endsWith('!')))
    }
  })
})

t.test('Endpoints', async (t) => {
  for (const [operationId, endpoint] of Object.entries(endpoints)) {
    const operation = operationOf(operationId as OperationId)
    const parameters = parametersOf(operation).map(({ node }) => node)

    t.test(`${operationId} is ${endpoint.is}`, async (t) => {
      t.equal(`${operation.method} ${operation.path}`, endpoint.is)
      t.equal(operation.successStatus, endpoint.answer[0])
      t.equal(operation.roles === null, operationId === 'register', 'only register needs no token')

      const inPath = parameters.filter((one) => one.in === 'path')
      t.strictSame(
        inPath.map(({ name, required, schema }) => [name, required, describe(schema, true)]),
        endpoint.path ? [[endpoint.path, true, 'string']] : [],
      )

      const inQuery = parameters.filter((one) => one.in === 'query')
      const query = Object.fromEntries(
        inQuery.map(({ name, schema }) => [name, describe(schema, schema.type !== 'integer')]),
      )
      t.strictSame(only(query, endpoint.query ?? {}), endpoint.query ?? {})
      t.notOk(
        inQuery.some(({ required }) => required),
        'every query parameter is optional',
      )

      const body = requestMedia(operation)?.node.schema
      t.equal(body && nameOf(body.$ref ?? ''), endpoint.body)

      const [status, schema] = endpoint.answer
      const answer = mediaAt([...pointerOf(operation), 'responses', String(status)])?.node.schema
      t.ok(answer, 'answers JSON')
      if (answer && schema) t.equal(describe(answer, false), schema)
    })
  }

  t.test('that validate a body have the status 422 of the interface', async (t) => {
    for (const id of ['applyQuickSetup', 'updateExperiment', 'updateBranding'] as const) {
      t.ok('422' in objectOf(operationOf(id)).responses)
    }
  })
})
