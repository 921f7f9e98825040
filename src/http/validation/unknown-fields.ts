import { type Fault, maxFaults } from '../../faults.js'
import { closestName } from '../../formats/close-names.js'
import type { IgnoredField } from '../../ignored-fields.js'
import type { SchemaObject } from './declared.js'

/** The field names that a schema declares. */
export interface KnownFields {
  /** Null if any name is allowed. */
  fields: Map<string, KnownFields> | null
  /** The fields of the items of a list; null if they have none. */
  items: KnownFields | null
  /** Validation refuses a longer list. */
  maxItems: number
}

/** Returns the declared names of a schema, of all its forms together. */
export function knownFieldsOf(schema: SchemaObject): KnownFields {
  const { properties, additionalProperties, anyOf = [] } = schema
  const forms = anyOf.map(knownFieldsOf)
  const own = additionalProperties === true ? [] : Object.entries(properties ?? {})
  const fields = new Map(own.map(([name, value]) => [name, knownFieldsOf(value)]))
  for (const form of forms) {
    for (const [name, known] of form.fields ?? []) fields.set(name, known)
  }
  const list = forms.find((form) => form.items) ?? listOf(schema)
  return { ...list, fields: fields.size > 0 ? fields : null }
}

function listOf({ items, maxItems, ...schema }: SchemaObject) {
  const item = items ?? (schema['x-items-checked-apart'] as SchemaObject | undefined)
  const known = item && knownFieldsOf(item)
  const hasNames = known && (known.fields || known.items)
  const limit = typeof maxItems === 'number' ? maxItems : Number.POSITIVE_INFINITY
  return { items: hasNames ? known : null, maxItems: limit }
}

/** Adds the undeclared members of a value to `found`. */
export function findUnknown(
  { fields, items, maxItems }: KnownFields,
  value: unknown,
  loc: string[],
  found: IgnoredField[],
): void {
  if (Array.isArray(value)) {
    if (!items || value.length > maxItems) return
    for (let i = 0; i < value.length && found.length < maxFaults; i++) {
      findUnknown(items, value[i], [...loc, String(i)], found)
    }
  } else if (isObject(value) && fields) {
    for (const name of Object.keys(value)) {
      if (found.length >= maxFaults) return
      const memberLoc = [...loc, name]
      const known = fields.get(name)
      if (known) findUnknown(known, value[name], memberLoc, found)
      else
        found.push({
          loc: memberLoc,
          near: found.length < 20 ? nearest(name, fields, value) : null,
        })
    }
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns a declared name that was perhaps meant: at most a third of its letters differ. */
export function nearest(name: string, known: Map<string, unknown>, given: object): string | null {
  const missing = [...known.keys()].filter((one) => !(one in given))
  return closestName(name, missing)
}

/** The fault of an unknown field, with strict handling. */
export function unknownFault({ loc, near }: IgnoredField): Fault {
  const hint = near ? `: did you mean ${near}?` : ''
  return { loc, msg: `Extra inputs are not permitted${hint}`, type: 'extra_forbidden' }
}
