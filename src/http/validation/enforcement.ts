type JsonObject = Record<string, unknown>

/**
 * The contract as requests are validated and answers serialized by it. It allows the same, without
 * choices: to try out one form after the other costs time at every answer and tells every fault
 * twice. Known values beside a type decide nothing, what may be null says so in its type, and
 * items that are refused one by one are left to their handler.
 */
export function enforceable(document: JsonObject): JsonObject {
  function simplify(node: unknown): unknown {
    if (Array.isArray(node)) return node.map(simplify)
    if (!isObject(node)) return node
    return Object.fromEntries(
      Object.entries(withoutChoice(node)).map(([key, value]) => [key, simplify(value)]),
    )
  }

  function withoutChoice({ anyOf, ...node }: JsonObject): JsonObject {
    if (node['x-items-checked-apart']) return omitItems(node)
    if (hasMediaTypes(node.content)) return omitFiles(node, node.content)
    if (!Array.isArray(anyOf) || 'type' in node) return node
    const [form, other, ...more] = anyOf as JsonObject[]
    if (!form || other?.type !== 'null' || more.length > 0) return { anyOf, ...node }
    return { ...nullable(resolve(form)), ...node }
  }

  function resolve(schema: JsonObject): JsonObject {
    if (typeof schema.$ref !== 'string') return schema
    const names = schema.$ref.slice(2).split('/')
    return names.reduce((parent, name) => parent[name] as JsonObject, document)
  }

  return simplify(document) as JsonObject
}

/** The items stay where only their names are read. */
function omitItems({ items, ...node }: JsonObject): JsonObject {
  return { ...node, 'x-items-checked-apart': items }
}

/** A property may be called content as well. */
const hasMediaTypes = (content: unknown): content is JsonObject =>
  isObject(content) && Object.keys(content).every((type) => /^\w+\//.test(type))

/** Without the media types that are sent as they come, and need no serializer. */
function omitFiles({ content: _, ...node }: JsonObject, content: JsonObject): JsonObject {
  const isJson = ([type]: [string, unknown]) => type.startsWith('application/json')
  const kept = Object.entries(content).filter(isJson)
  return kept.length > 0 ? { ...node, content: Object.fromEntries(kept) } : node
}

function nullable(schema: JsonObject): JsonObject {
  const { type, enum: values } = schema
  const listed = Array.isArray(values) ? { enum: [...values, null] } : {}
  return { ...schema, type: [type, 'null'].flat(), ...listed }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null
}
