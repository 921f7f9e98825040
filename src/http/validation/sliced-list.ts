import type { ValidateFunction } from 'ajv'
import { type Fault, maxFaults, validationFailed } from '../../faults.js'
import { hasManyValues, runOn } from './bodies.js'
import type { SchemaObject } from './declared.js'
import { describeFaults } from './faults.js'

type Compile = (schema: SchemaObject) => ValidateFunction

/** A list whose items are checked one by one, with pauses, because it may be very long. */
interface SlicedList {
  name: string
  maxItems: number
  items: SchemaObject
  /** The schema of the whole body without these items. */
  rest: SchemaObject
}

/** Returns the list that the contract marks with `x-items-in-slices`. */
export function slicedListOf(schema: SchemaObject): SlicedList | undefined {
  for (const [name, list] of Object.entries(schema.properties ?? {})) {
    const { items, maxItems, 'x-items-in-slices': isSliced, ...listOnly } = list
    if (!isSliced || !items || typeof maxItems !== 'number') continue
    const properties = { ...schema.properties, [name]: { ...listOnly, maxItems } }
    return { name, maxItems, items, rest: { ...schema, properties } }
  }
  return undefined
}

/** Checks a body, in slices if it is long. Throws 422 if it does not fit its schema. */
export async function checkItemsInSlices(
  compile: Compile,
  list: SlicedList,
  body: unknown,
): Promise<boolean> {
  if (body === null || body === undefined) return true
  const faults = await runOn(body, findFaults(compile, list, body))
  if (faults.length > 0) throw validationFailed(faults)
  return true
}

function* findFaults(compile: Compile, list: SlicedList, body: unknown): Generator<void, Fault[]> {
  const faults = faultsOf(compile(list.rest), body, '')
  const items: unknown = Reflect.get(Object(body), list.name)
  if (!Array.isArray(items) || items.length > list.maxItems) return faults
  const validate = compile(list.items)
  const bounds = boundsOf(list.items)
  const maxReported = hasManyValues(body) ? 1 : maxFaults
  for (const [i, item] of items.entries()) {
    if (faults.length >= maxReported) break
    const pointer = `/${list.name}/${i}`
    const tooLong = tooLongIn(bounds, item, pointer)
    faults.push(...(tooLong.length > 0 ? tooLong : faultsOf(validate, item, pointer)))
    yield
  }
  return faults
}

/** Returns the fields of an item with `x-max-bytes`, and their limits. */
function boundsOf({ properties = {} }: SchemaObject): [name: string, maxBytes: number][] {
  return Object.entries(properties).flatMap(([name, { 'x-max-bytes': maxBytes }]) =>
    typeof maxBytes === 'number' ? [[name, maxBytes]] : [],
  )
}

/** Reports the fields of an item that are too long. Their values are not checked further. */
function tooLongIn(
  bounds: [name: string, maxBytes: number][],
  item: unknown,
  pointer: string,
): Fault[] {
  const errors = bounds.flatMap(([name, maxBytes]) => {
    const json = JSON.stringify(Reflect.get(Object(item), name)) ?? ''
    if (Buffer.byteLength(json) <= maxBytes) return []
    const instancePath = `${pointer}/${name}`
    return { keyword: 'x-max-bytes', schema: maxBytes, instancePath, schemaPath: '', params: {} }
  })
  return describeFaults('body', errors)
}

function faultsOf(validate: ValidateFunction, value: unknown, instancePath: string): Fault[] {
  const context = { instancePath, parentData: {}, parentDataProperty: '', rootData: {} }
  if (validate(value, { ...context, dynamicAnchors: {} })) return []
  return describeFaults('body', validate.errors ?? [])
}
