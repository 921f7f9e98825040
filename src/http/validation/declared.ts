/** The parts of a JSON schema that validation reads. */
export interface SchemaObject {
  type?: string | string[]
  properties?: Record<string, SchemaObject>
  additionalProperties?: unknown
  items?: SchemaObject
  anyOf?: SchemaObject[]
  [keyword: string]: unknown
}

/**
 * Returns a copy of a schema that removes unknown fields, and checks all other texts for what
 * PostgreSQL cannot store.
 */
export function declaredOnly(schema: SchemaObject): SchemaObject {
  const { properties, items, anyOf } = schema
  const isFree = schema.additionalProperties === true
  const refused = ['allOf', 'oneOf', 'patternProperties'].filter((keyword) => keyword in schema)
  if (typeof schema.additionalProperties === 'object') refused.push('additionalProperties')
  if (refused.length > 0) throw new Error(`No request may use ${refused.join()} yet`)
  const mayHoldText = isFree || [schema.type].flat().includes('string')
  return {
    ...schema,
    ...(properties && {
      properties: mapValues(properties, declaredOnly),
      additionalProperties: isFree,
    }),
    ...(items && itemsOfFittingList(schema, declaredOnly(items))),
    ...(anyOf && { anyOf: anyOf.map(declaredOnly) }),
    ...(mayHoldText && { 'x-storable': true }),
  }
}

/** Checks items only if the list is not too long: Ajv would check all of them first. */
function itemsOfFittingList({ maxItems }: SchemaObject, items: SchemaObject): SchemaObject {
  if (typeof maxItems !== 'number') return { items }
  return { items: undefined, if: { minItems: maxItems + 1 }, else: { items } }
}

function mapValues<T>(values: Record<string, T>, map: (value: T) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)]))
}
