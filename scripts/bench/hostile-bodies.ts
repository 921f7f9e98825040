import { loadContract, type OperationId } from '../../src/contract.js'

/** A body that costs much to refuse, of about as many bytes as are wanted. */
export interface HostileBody {
  name: string
  operationId: OperationId
  /** Whether it is sent with a token. */
  isSecured: boolean
  /** How many bytes the operation takes at most, by default. */
  bodyLimit: number
  make(bytes: number): string
}

interface Schema {
  $ref?: string
  type?: string | string[]
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  additionalProperties?: unknown
}

const fill = (unit: string, bytes: number) =>
  unit.repeat(Math.max(Math.floor(bytes / unit.length), 1))
const numbered = (bytes: number, width: number, unit: (i: string) => string) =>
  Array.from({ length: Math.floor(bytes / width) }, (_, i) => unit(i.toString(36).padStart(6, '0')))

/** What costs much wherever it is: to parse, to walk, to look up or to refuse. */
const anywhere: Record<string, (bytes: number) => string> = {
  'open brackets': (bytes) => '['.repeat(bytes),
  'open braces': (bytes) => fill('{"a":', bytes),
  'white space': (bytes) => `{}${' '.repeat(bytes - 2)}`,
  'unknown fields': (bytes) => `{${numbered(bytes, 13, (i) => `"k_${i}":1`).join()}}`,
  'the same field again': (bytes) => `{${fill('"a":1,', bytes)}"a":1}`,
  'reserved names': (bytes) => `{${fill('"__proto__":{"a":1},', bytes)}"a":1}`,
  'one long name': (bytes) => `{"${'k'.repeat(bytes - 8)}":1}`,
  'a long number': (bytes) => `{"a":${'9'.repeat(bytes - 6)}}`,
  'escapes in an unknown field': (bytes) => `{"a":"${fill('\\u00e9', bytes)}"}`,
  'backslashes without an end': (bytes) => `{"a":"${'\\'.repeat(bytes - 6)}`,
  'empty objects': (bytes) => `{"a":[${fill('{},', bytes)}{}]}`,
  'small objects': (bytes) => `{"a":[${numbered(bytes, 15, (i) => `{"k_${i}":1}`).join()}]}`,
  'nested lists': (bytes) => `{"a":[${fill('[[[[]]]],', bytes)}[]]}`,
  'a malformed end': (bytes) => `{"a":[${fill('1,', bytes)}1}`,
}

/** What costs much as the items of a list, each of them wrong. */
const items: Record<string, (bytes: number) => string> = {
  numbers: (bytes) => `${fill('7,', bytes)}7`,
  'empty objects': (bytes) => `${fill('{},', bytes)}{}`,
  'broken texts': (bytes) => `${fill('"\\ud800",', bytes)}""`,
}

/** What costs much as the value of a text or a free object. */
const values: Record<string, (bytes: number) => string> = {
  'a long text': (bytes) => `"${'x'.repeat(bytes)}"`,
  'white space in a text': (bytes) => `"${' '.repeat(bytes)}"`,
  'broken text': (bytes) => `"${fill('\\ud800', bytes)}"`,
}
const objects: Record<string, (bytes: number) => string> = {
  'many names': (bytes) => `{${numbered(bytes, 13, (i) => `"k_${i}":1`).join()}}`,
  'broken names': (bytes) => `{${numbered(bytes, 19, (i) => `"\\ud800${i}":1`).join()}}`,
  'many lists': (bytes) => `{"a":[${fill('[[]],', bytes)}[]]}`,
}

/** A place in a body: how the text around a value there begins and ends. */
interface Place {
  name: string
  schema: Schema
  before: string
  after: string
}

/** Every field of a body, and those of the first item of its lists. */
function placesIn(given: Schema, name: string, before: string, after: string): Place[] {
  const schema = resolve(given)
  const here = [{ name, schema, before, after }]
  const fields = Object.entries(schema.properties ?? {}).flatMap(([key, field]) =>
    placesIn(field, `${name} ${key}`.trim(), `${before}{"${key}":`, `}${after}`),
  )
  const within = schema.items ? placesIn(schema.items, `${name} *`, `${before}[`, `]${after}`) : []
  return [...here, ...fields, ...within]
}

function resolve(schema: Schema): Schema {
  const form = schema.anyOf?.[0] ?? schema
  if (!form.$ref) return form
  const names = form.$ref.slice(2).split('/')
  const found = names.reduce<unknown>((parent, key) => Reflect.get(Object(parent), key), document)
  return resolve(found as Schema)
}

const { document, operations } = loadContract()

function formsFor({ type, items: item, properties, additionalProperties }: Schema) {
  if (item) return items
  if (additionalProperties === true && !properties) return objects
  return [type].flat().includes('string') ? values : {}
}

interface BodyObject {
  requestBody?: { content: Record<string, { schema: Schema }> }
}

/** The bodies for every operation that takes one. */
export const hostileBodies: HostileBody[] = operations.flatMap((operation) => {
  const { operationId, path, method, roles } = operation
  const paths = document.paths as Record<string, Record<string, BodyObject>>
  const schema =
    paths[path]?.[method.toLowerCase()]?.requestBody?.content['application/json']?.schema
  if (!schema) return []
  const bodyLimit = operation.bodyLimit ?? 1_048_576
  const about = { operationId, isSecured: roles !== null, bodyLimit }
  const general = Object.entries(anywhere).map(([name, make]) => ({ ...about, name, make }))
  const special = placesIn(schema, '', '', '').flatMap((place) =>
    Object.entries(formsFor(place.schema)).map(([name, form]) => ({
      ...about,
      name: `${place.name}: ${name}`,
      make: (bytes: number) => `${place.before}${form(bytes - 100)}${place.after}`,
    })),
  )
  return [...general, ...special]
})
