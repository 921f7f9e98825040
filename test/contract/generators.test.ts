import type { OperationId } from '../../src/contract.js'
import { enforceable } from '../../src/http/validation/enforcement.js'
import { t } from '../helpers/file.js'
import { answers, endpoints } from '../helpers/interface.js'
import {
  contract,
  locate,
  mediaAt,
  objectOf,
  operations,
  parametersOf,
  partsOf,
  pointerOf,
  requestMedia,
  resolveSchema,
  type SchemaObject,
} from '../helpers/walk.js'

type Part = [place: string, schema: SchemaObject]

const { schemas } = contract.document.components as { schemas: Record<string, SchemaObject> }
const named = Object.entries(schemas)
const parts = named.flatMap(([name, schema]) => partsOf(schema, name))
const typesOf = ({ type }: SchemaObject) => [type ?? []].flat()
const places = (found: Part[]) => found.map(([place]) => place)

/** Returns the names of the schemas to which these schemas refer, directly or through others. */
function namesIn(roots: SchemaObject[], found = new Set<string>()): Set<string> {
  for (const [, { $ref }] of roots.flatMap((root) => partsOf(root, ''))) {
    const name = $ref?.split('/').at(-1)
    if (!name || found.has(name)) continue
    found.add(name)
    namesIn([schemas[name] ?? {}], found)
  }
  return found
}

const requestBodies = operations.flatMap((one) => requestMedia(one)?.node.schema ?? [])
const inRequests = namesIn(requestBodies)
const responses = operations.flatMap((operation) =>
  Object.keys(objectOf(operation).responses).map((status) => ({
    title: `${operation.operationId} ${status}`,
    pointer: [...pointerOf(operation), 'responses', status],
  })),
)
const answerBodies = responses.flatMap(({ title, pointer }) => {
  const media = mediaAt(pointer)
  return media ? [{ title, schema: media.node.schema }] : []
})
const headers = responses.flatMap(({ pointer }) => {
  const { node, pointer: home } = locate<{ headers?: object }>(pointer)
  return Object.keys(node.headers ?? {}).map((name) => ({
    ...locate<{ schema: SchemaObject }>([...home, 'headers', name]).node,
    name,
  }))
})
const queryParameters = operations.flatMap((operation) =>
  parametersOf(operation)
    .filter(({ node }) => node.in === 'query')
    .map(({ node }) => ({ ...node, operationId: operation.operationId })),
)

/** Whether the published interface itself allows null for a query parameter. */
function mayBeNull(operationId: OperationId, name: string): boolean {
  // The export has the same filters as the listing.
  const known = operationId === 'exportAuditEvents' ? 'listAuditEvents' : operationId
  return endpoints[known]?.query?.[name]?.endsWith('?') ?? false
}

t.test('A query parameter', async (t) => {
  for (const { operationId, name, schema, ...parameter } of queryParameters) {
    t.test(`${name} of ${operationId}`, async (t) => {
      const isNullable = typesOf(resolveSchema(schema)).includes('null')
      t.equal(isNullable, mayBeNull(operationId, name), 'is nullable where the interface says so')
      t.notOk('example' in parameter, 'has no example that the page would fill in')
    })
  }
})

t.test('A schema', async (t) => {
  t.test('does not have the name of a JavaScript global', async (t) => {
    t.strictSame(
      named.filter(([name]) => name in globalThis),
      [],
    )
  })

  t.test('has a name where it is the whole answer', async (t) => {
    for (const { title, schema } of answerBodies) t.ok(schema.$ref, title)
    const inline = parts.filter(([place, { properties }]) => properties && !(place in schemas))
    t.strictSame(places(inline), [])
  })

  t.test('gives the type of the items of a list', async (t) => {
    const lists = parts.filter(([, schema]) => typesOf(schema).includes('array'))
    t.ok(lists.length > 0)
    const vague = lists.filter(([, { items }]) => Object.keys(items ?? {}).length === 0)
    t.strictSame(places(vague), [])
  })

  t.test('is nullable where it is used, not under its name', async (t) => {
    const isNull = named.filter(([, schema]) => typesOf(schema).includes('null'))
    t.strictSame(places(isNull), [])
  })

  t.test('gives the size of an integer', async (t) => {
    const others = [...queryParameters, ...headers].map(({ name, schema }): Part => [name, schema])
    const integers = [...parts, ...others].filter(([, one]) => typesOf(one).includes('integer'))
    t.ok(places(integers).includes('X-Total-Count'))
    t.strictSame(
      integers.filter(([, { format }]) => format !== 'int32' && format !== 'int64'),
      [],
    )
  })

  t.test('of an answer added by us requires every field that is always sent', async (t) => {
    const sometimes = new Set(['rater', 'evidence', 'min', 'max', 'unit', 'levels', 'speed_change'])
    const ours = [...namesIn(answerBodies.map(({ schema }) => schema))].filter(
      (name) => !(name in answers) && !inRequests.has(name),
    )
    t.ok(ours.includes('Branding'))
    for (const name of ours) {
      const { properties = {}, required = [] } = schemas[name] ?? {}
      const fields = Object.keys(properties).filter((field) => !sometimes.has(field))
      const always = name === 'ErrorResponse' ? ['code', 'detail'] : fields.sort()
      t.strictSame(required.toSorted(), always, name)
    }
  })
})

t.test('A request', async (t) => {
  const inBodies = named
    .filter(([name]) => inRequests.has(name))
    .flatMap(([name, schema]) => partsOf(schema, name))
  const inParameters = operations.flatMap((operation) =>
    parametersOf(operation).map(({ node }): Part => [node.name, resolveSchema(node.schema)]),
  )

  t.test('limits the length of its texts and lists', async (t) => {
    const isOpen = ({ anyOf, ...schema }: SchemaObject) =>
      (typesOf(schema).includes('array') && schema.maxItems === undefined) ||
      (typesOf(schema).includes('string') &&
        // With several forms, each form has its own limits.
        anyOf === undefined &&
        schema.maxLength === undefined &&
        schema.enum === undefined)
    t.strictSame(places([...inBodies, ...inParameters].filter(([, schema]) => isOpen(schema))), [])
  })

  // openapi-typescript makes a field with a default required.
  t.test('has its defaults in separate schemas', async (t) => {
    const withDefault = inBodies.filter(([, schema]) => schema.default !== undefined)
    t.ok(places(withDefault).includes('NewSessionSpeed'))
    t.strictSame(
      places(withDefault).filter((place) => !(place in schemas)),
      [],
    )
    const forms = inBodies.flatMap(([place, { anyOf = [] }]) =>
      anyOf.map((form): Part => [place, resolveSchema(form)]),
    )
    t.strictSame(
      places(forms.filter(([, form]) => form.default !== undefined)),
      [],
      'no choice refers to these schemas, because validation would insert their defaults there',
    )
  })
})

t.test('A choice', async (t) => {
  const others = [...queryParameters, ...headers].flatMap(({ name, schema }) =>
    partsOf(schema, name),
  )

  // zod schemas leave out what is next to forms; kubb fails for limits next to several types.
  t.test('has its limits inside its forms', async (t) => {
    const allowed = ['anyOf', 'type', 'description', 'default', 'title', 'examples']
    const choices = [...parts, ...others].filter(
      ([, one]) => one.anyOf || typesOf(one).filter((type) => type !== 'null').length > 1,
    )
    t.ok(choices.length > 10)
    for (const [place, schema] of choices) {
      t.strictSame(
        Object.keys(schema).filter((keyword) => !allowed.includes(keyword)),
        [],
        place,
      )
    }
  })

  t.test('of values does not list null, which is a separate form', async (t) => {
    const lists = [...parts, ...others].filter(([, one]) => one.enum)
    t.ok(lists.length > 10)
    const withNull = lists.filter(
      ([, one]) => typesOf(one).includes('null') || !one.enum?.every((value) => value !== null),
    )
    t.strictSame(places(withNull), [])
  })
})

t.test('Known values', async (t) => {
  const open = parts.filter(([, { type, anyOf }]) => type && anyOf)
  t.ok(open.length > 10)
  for (const [place, schema] of open) {
    t.test(`of ${place} have a name and allow other values`, async (t) => {
      const [known, ...others] = schema.anyOf ?? []
      t.match(known?.$ref, /\/Known[A-Z]\w+$/)
      t.ok(resolveSchema(known ?? {}).enum?.length)
      t.strictSame(others.flatMap(typesOf), typesOf(schema))
      t.notOk(others.some((form) => form.enum))
    })
  }
})

t.test('Every answer has the rate limit headers', async (t) => {
  // A request that does not parse is not counted.
  const counted = responses.filter(({ title }) => !/ 40[08]$/.test(title))
  for (const { title, pointer } of counted) {
    const { headers = {} } = locate<{ headers?: object }>(pointer).node
    const limits = Object.keys(headers).filter((name) => name.startsWith('RateLimit-'))
    t.strictSame(limits, ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'], title)
  }
})

t.test('The service writes answers without trying alternative forms', async (t) => {
  const enforced = enforceable(contract.document).components as typeof contract.document
  const written = enforced.schemas as typeof schemas
  const names = [...namesIn(answerBodies.map(({ schema }) => schema))]
  const choices = names
    .flatMap((name) => partsOf(written[name] ?? {}, name))
    .filter(([, { anyOf }]) => anyOf)
  t.ok(names.includes('TemplatePayload'))
  t.strictSame(places(choices), [])
})
