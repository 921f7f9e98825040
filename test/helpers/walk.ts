import { type Kysely, sql } from 'kysely'
import { loadContract, type Operation, type Role } from '../../src/contract.js'
import type { Database } from '../../src/database/schema.js'
import { createId } from '../../src/formats/identifiers.js'

export interface SchemaObject {
  $ref?: string
  type?: string | string[]
  format?: string
  enum?: string[]
  anyOf?: SchemaObject[]
  default?: unknown
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  maxItems?: number
  required?: string[]
  properties?: Record<string, SchemaObject>
  items?: SchemaObject
}
export interface ParameterObject {
  name: string
  in: string
  required?: boolean
  description?: string
  schema: SchemaObject
  example?: unknown
}
interface MediaObject {
  schema: SchemaObject
  examples?: Record<string, unknown>
}
export interface OperationObject {
  summary?: string
  description?: string
  tags: string[]
  security?: unknown[]
  parameters?: unknown[]
  requestBody?: { required?: boolean }
  responses: Record<string, unknown>
  'x-audit-events'?: { category: string; event_type: string }[]
}
interface Located<T> {
  node: T
  pointer: string[]
}

export const contract = loadContract()
export const { operations } = contract
export const roles = locate<SchemaObject>(['components', 'schemas', 'Role']).node.enum as Role[]

/** A node at a place in the contract, and its place after references were followed. */
export function locate<T>(pointer: string[]): Located<T> {
  const node = pointer.reduce<unknown>(
    (parent, key) => (parent as Record<string, unknown> | undefined)?.[key],
    contract.document,
  ) as { $ref?: string } | undefined
  if (node === undefined) throw new Error(`The contract has nothing at ${pointer.join('/')}`)
  return node.$ref ? locate(node.$ref.slice(2).split('/')) : { node: node as T, pointer }
}

/** A schema without reference. Fields next to the reference are kept as well. */
export function resolveSchema({ $ref, ...beside }: SchemaObject): SchemaObject {
  return $ref ? { ...locate<SchemaObject>($ref.slice(2).split('/')).node, ...beside } : beside
}

/** A schema and all its parts, each with its place, down to references to named schemas. */
export function partsOf(schema: SchemaObject, place: string): [string, SchemaObject][] {
  const { properties = {}, items, anyOf = [] } = schema
  const inner = [
    ...Object.entries(properties),
    ...anyOf.map((form, i) => [String(i), form] as const),
    ...(items ? [['[]', items] as const] : []),
  ]
  return [[place, schema], ...inner.flatMap(([name, part]) => partsOf(part, `${place}.${name}`))]
}

export function pointerOf({ path, method }: Operation): string[] {
  return ['paths', path, method.toLowerCase()]
}

export function objectOf(operation: Operation): OperationObject {
  return locate<OperationObject>(pointerOf(operation)).node
}

/** An operation's parameters, including the parameters of its path. */
export function parametersOf(operation: Operation): Located<ParameterObject>[] {
  const homes = [['paths', operation.path], pointerOf(operation)]
  return homes.flatMap((home) => {
    const { parameters = [] } = locate<{ parameters?: unknown[] }>(home).node
    return parameters.map((_, i) => locate<ParameterObject>([...home, 'parameters', String(i)]))
  })
}

/** The body of a request or response, if it has one. Of several content types the first. */
export function mediaAt(pointer: string[]): Located<MediaObject> | undefined {
  const home = locate<{ content?: Record<string, unknown> }>(pointer)
  const [type] = Object.keys(home.node.content ?? {})
  return type ? locate<MediaObject>([...home.pointer, 'content', type]) : undefined
}

export function requestMedia(operation: Operation): Located<MediaObject> | undefined {
  return objectOf(operation).requestBody && mediaAt([...pointerOf(operation), 'requestBody'])
}

export function examplesIn({ node, pointer }: Located<MediaObject>): unknown[] {
  return Object.keys(node.examples ?? {}).map(
    (name) => locate<{ value: unknown }>([...pointer, 'examples', name]).node.value,
  )
}

export interface IdPlace {
  name: string
  in: 'path' | 'query' | 'body'
}

/** The places where an operation takes an id: `…_id` in its path, query or body. */
export function idPlaces(operation: Operation): IdPlace[] {
  const media = requestMedia(operation)
  const body = Object.keys(media ? (resolveSchema(media.node.schema).properties ?? {}) : {})
  const places = [
    ...parametersOf(operation).map(({ node }) => ({ name: node.name, in: node.in })),
    ...body.map((name) => ({ name, in: 'body' })),
  ]
  return places.filter(({ name }) => name.endsWith('_id')) as IdPlace[]
}

/** A request made from the contract's first example, with real ids. */
export function exampleCall(operation: Operation, ids: (place: IdPlace) => string | undefined) {
  const media = requestMedia(operation)
  const [example] = media ? examplesIn(media) : []
  const body: Record<string, unknown> = { ...(example as object | undefined) }
  const params = examplesInPath(operation)
  const query: Record<string, string> = {}
  for (const place of idPlaces(operation)) {
    const id = ids(place)
    if (id === undefined) continue
    if (place.in === 'path') params[place.name] = id
    else if (place.in === 'query') query[place.name] = id
    else body[place.name] = id
  }
  return { params, query, ...(media && { body }) }
}

function examplesInPath(operation: Operation): Record<string, string> {
  const inPath = parametersOf(operation).filter(({ node }) => node.in === 'path')
  return Object.fromEntries(inPath.map(({ node }) => [node.name, String(node.example)]))
}

/** The tables with the rows of organizations. */
export async function tenantTables(db: Kysely<Database>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.columns
    where table_schema = 'public' and column_name = 'organization_id' order by 1`.execute(db)
  return rows.map(({ name }) => name)
}

/**
 * An id of each kind in an organization: for `experiment_id` one in `experiments`, for both
 * `channel_template_id` and `template_id` one in `channel_templates`. The user is a bot, because only
 * a bot can have everything that belongs to a user.
 */
export async function idsOf(db: Kysely<Database>, organization_id: string) {
  const ids = new Map([['organization_id', organization_id]])
  for (const table of await tenantTables(db)) {
    const { rows } = await sql<{ row: { _id?: string } }>`
      select to_json(t) as row from ${sql.table(table)} as t
      where organization_id = ${organization_id}
      order by to_json(t) ->> 'is_bot', to_json(t) ->> '_id'`.execute(db)
    const name = `${table.replace(/s$/, '')}_id`
    const shortName = name.replace(/^.*_(?=[a-z]+_id$)/, '')
    for (const { row } of rows) {
      if (row._id) ids.set(name, row._id).set(shortName, row._id)
    }
  }
  return ids
}

/** The service changes these tables outside of requests, when it extends the chain of events. */
const chainTables = ['unsealed_events', 'audit_seals']

/** Every row of an organization as text, except in the tables of the chain of events. */
export async function rowsOf(db: Kysely<Database>, organization_id: string): Promise<string[]> {
  const rows: string[] = []
  const tables = await tenantTables(db)
  for (const table of tables.filter((one) => !chainTables.includes(one))) {
    const found = await sql<{ text: string }>`
      select to_json(t)::text as text from ${sql.table(table)} as t
      where organization_id = ${organization_id} order by 1`.execute(db)
    rows.push(...found.rows.map(({ text }) => `${table} ${text}`))
  }
  return rows
}

/** Whether an entry of `x-audit-events` stands for any event that the caller sends. */
export const isAny = ({ category, event_type }: { category: string; event_type: string }) =>
  category === '*' && event_type === '*'

export const unknownId = createId()
