import type { Operation } from '../../src/contract.js'
import { schemaFaults } from './contract.js'
import {
  locate,
  mediaAt,
  objectOf,
  operations,
  pointerOf,
  requestMedia,
  resolveSchema,
  type SchemaObject,
} from './walk.js'

/** A value that a caller may have set, and the body that removes it. */
export interface Removal {
  field: string[]
  /** Undefined if the contract has no way to remove the value. */
  body: object | undefined
}

/** The key that a removal takes out of a free-form object. */
export const freeKey = 'key'

const descriptionOf = (operation: Operation) => objectOf(operation).description ?? ''
const isUpdate = (operation: Operation) =>
  operation.method === 'PATCH' ||
  (operation.method === 'PUT' && !/This PUT makes it once/.test(descriptionOf(operation)))
/** Whether a request replaces everything, so that what it leaves out is removed. */
const replaces = (operation: Operation) => /^This PUT replaces /m.test(descriptionOf(operation))

export const updates = operations.filter(isUpdate)

/** Every value that an update can set and that may be missing, with the way to remove it. */
export function removalsOf(operation: Operation): Removal[] {
  const media = requestMedia(operation)
  const status = String(operation.successStatus)
  const answer = mediaAt([...pointerOf(operation), 'responses', status])?.node.schema
  if (!media || !answer) return []
  const schema = locate<SchemaObject>([...media.pointer, 'schema'])
  const removals = removalsIn(schema, resolveSchema(answer))
  return removals.map((one) => (replaces(operation) ? { ...one, body: one.body ?? {} } : one))
}

type Located = ReturnType<typeof locate<SchemaObject>>

function removalsIn({ node, pointer }: Located, answer: SchemaObject): Removal[] {
  const cleared = node.properties?.clear?.items?.enum ?? []
  return Object.keys(node.properties ?? {}).flatMap((name): Removal[] => {
    const given = answer.properties?.[name]
    if (!given) return []
    const place = locate<SchemaObject>([...pointer, 'properties', name])
    const inner = objectIn(place)
    if (inner?.node.properties) {
      const parts = removalsIn(inner, resolveSchema(given))
      return parts.map(({ field, body }) => ({
        field: [name, ...field],
        body: body && { [name]: body },
      }))
    }
    if (inner) return [{ field: [name, freeKey], body: { [name]: { [freeKey]: null } } }]
    if (!mayBeMissing(answer, name)) return []
    if (cleared.includes(name)) return [{ field: [name], body: { clear: [name] } }]
    const empty = ['', []].find((value) => schemaFaults(place.pointer, value).length === 0)
    return [{ field: [name], body: empty === undefined ? undefined : { [name]: empty } }]
  })
}

/** The form of a value that is an object, if it has one. */
function objectIn({ node, pointer }: Located): Located | undefined {
  if (node.type === 'object') return { node, pointer }
  const forms = (node.anyOf ?? []).map((_, i) =>
    locate<SchemaObject>([...pointer, 'anyOf', String(i)]),
  )
  return forms.find((form) => form.node.type === 'object')
}

function mayBeMissing({ properties, required }: SchemaObject, name: string): boolean {
  const { type, anyOf = [], default: preset } = resolveSchema(properties?.[name] ?? {})
  const types = [type, ...anyOf.map((form) => resolveSchema(form).type)].flat()
  const isAbsent = !required?.includes(name) && preset === undefined
  return types.includes('null') || types.includes('array') || isAbsent
}
