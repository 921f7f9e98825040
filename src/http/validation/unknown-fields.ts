import { closestMatch } from 'leven'
import { type Fault, mostFaults } from '../../errors.js'
import type { IgnoredField } from '../../ignored-fields.js'
import type { SchemaObject } from './declared.js'

/** The names that a schema knows. */
export interface KnownFields {
  /** Null where any name is allowed. */
  fields: Map<string, KnownFields> | null
  /** Null where the items of a list have no names. */
  items: KnownFields | null
  /** The validation refuses a longer list. */
  mostItems: number
}

/** The names that a schema knows, of all its forms together. */
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
  const mostItems = typeof maxItems === 'number' ? maxItems : Number.POSITIVE_INFINITY
  return { items: hasNames ? known : null, mostItems }
}

/** Adds the members of a value that are not known to those found. It yields at each object. */
export function* findUnknown(
  { fields, items, mostItems }: KnownFields,
  value: unknown,
  loc: string[],
  found: IgnoredField[],
): Generator<void, void> {
  if (Array.isArray(value)) {
    if (!items || value.length > mostItems) return
    for (let i = 0; i < value.length && found.length < mostFaults; i++) {
      yield* findUnknown(items, value[i], [...loc, String(i)], found)
    }
  } else if (isObject(value) && fields) {
    yield
    for (const [name, member] of Object.entries(value)) {
      if (found.length >= mostFaults) return
      const place = [...loc, name]
      const known = fields.get(name)
      if (known) yield* findUnknown(known, member, place, found)
      else found.push({ loc: place, near: found.length < 20 ? nearest(name, fields, value) : null })
    }
  }
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A known name that was perhaps meant: at most a third of the letters differ. */
export function nearest(name: string, known: Map<string, unknown>, given: object): string | null {
  const missing = [...known.keys()].filter((one) => !(one in given))
  return closestMatch(name, missing, { maxDistance: Math.floor(name.length / 3) }) ?? null
}

/** What is wrong with an unknown field in a request that asks for strict handling. */
export function unknownFault({ loc, near }: IgnoredField): Fault {
  const hint = near ? `: did you mean ${near}?` : ''
  return { loc, msg: `Extra inputs are not permitted${hint}`, type: 'extra_forbidden' }
}
