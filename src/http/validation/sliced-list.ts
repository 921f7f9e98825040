import type { ValidateFunction } from 'ajv'
import { type Fault, mostFaults, validationFailed } from '../../errors.js'
import { hasManyValues, workOn } from './bodies.js'
import type { SchemaObject } from './declared.js'
import { describeFaults } from './faults.js'

type Compile = (schema: SchemaObject) => ValidateFunction

/** A list that may be so long that its items are checked one after the other, with pauses. */
interface SlicedList {
  name: string
  maxItems: number
  items: SchemaObject
  /** The schema of the whole body, which says nothing of these items. */
  rest: SchemaObject
}

/** The list of a body that the contract marks with `x-items-in-slices`. */
export function slicedListOf(schema: SchemaObject): SlicedList | undefined {
  for (const [name, list] of Object.entries(schema.properties ?? {})) {
    const { items, maxItems, 'x-items-in-slices': isSliced, ...listOnly } = list
    if (!isSliced || !items || typeof maxItems !== 'number') continue
    const properties = { ...schema.properties, [name]: { ...listOnly, maxItems } }
    return { name, maxItems, items, rest: { ...schema, properties } }
  }
  return undefined
}

/** Checks a body, in slices if it is long. Throws 422 where it does not fit its schema. */
export async function checkItemsInSlices(
  compile: Compile,
  list: SlicedList,
  body: unknown,
): Promise<boolean> {
  if (body === null || body === undefined) return true
  const faults = await workOn(body, findFaults(compile, list, body))
  if (faults.length > 0) throw validationFailed(faults)
  return true
}

function* findFaults(compile: Compile, list: SlicedList, body: unknown): Generator<void, Fault[]> {
  const faults = faultsOf(compile(list.rest), body, '')
  const items: unknown = Reflect.get(Object(body), list.name)
  if (!Array.isArray(items) || items.length > list.maxItems) return faults
  const validate = compile(list.items)
  const bounds = boundsOf(list.items)
  const most = hasManyValues(body) ? 1 : mostFaults
  for (const [i, item] of items.entries()) {
    if (faults.length >= most) break
    const place = `/${list.name}/${i}`
    const tooLong = tooLongIn(bounds, item, place)
    faults.push(...(tooLong.length > 0 ? tooLong : faultsOf(validate, item, place)))
    yield
  }
  return faults
}

/** How many bytes of JSON each field of an item may have that has such a bound. */
function boundsOf({ properties = {} }: SchemaObject): [name: string, most: number][] {
  return Object.entries(properties).flatMap(([name, { 'x-max-bytes': most }]) =>
    typeof most === 'number' ? [[name, most]] : [],
  )
}

/** The fields of an item that are too long. To look for faults in them would take too long as well. */
function tooLongIn(bounds: [name: string, most: number][], item: unknown, place: string): Fault[] {
  const errors = bounds.flatMap(([name, most]) => {
    const json = JSON.stringify(Reflect.get(Object(item), name)) ?? ''
    if (Buffer.byteLength(json) <= most) return []
    const instancePath = `${place}/${name}`
    return { keyword: 'x-max-bytes', schema: most, instancePath, schemaPath: '', params: {} }
  })
  return describeFaults('body', errors)
}

function faultsOf(validate: ValidateFunction, value: unknown, instancePath: string): Fault[] {
  const place = { instancePath, parentData: {}, parentDataProperty: '', rootData: {} }
  if (validate(value, { ...place, dynamicAnchors: {} })) return []
  return describeFaults('body', validate.errors ?? [])
}
