type JsonObject = Record<string, unknown>

/** What only readers need. At each start it would be copied for each route. */
const forReaders = new Set(['description', 'summary', 'example', 'examples', 'headers'])

/**
 * Returns the contract in the form that validates requests and serializes answers. It allows the same
 * values, but without `anyOf`, which would cost time at every answer and report every fault twice.
 * Known values beside a type are dropped, because any other text is allowed too. `null` moves into the
 * type. Items that a handler checks one by one (`x-items-checked-apart`) are left out. So are errors:
 * they are sent as they are.
 */
export function enforceable(document: JsonObject): JsonObject {
  function simplify(node: unknown): unknown {
    if (Array.isArray(node)) return node.map(simplify)
    if (!isObject(node)) return node
    return Object.fromEntries(
      Object.entries(withoutChoice(node))
        .filter(([key]) => !forReaders.has(key))
        .map(([key, value]) => [key, simplifyMember(key, value)]),
    )
  }

  function simplifyMember(key: string, value: unknown): unknown {
    if (key === 'properties') return mapValues(value as JsonObject, simplify)
    if (key === 'responses') return mapValues(successesOf(value as JsonObject), withDescription)
    return simplify(value)
  }

  // An answer without a description is no OpenAPI.
  const withDescription = (answer: unknown) => ({
    ...(simplify(answer) as JsonObject),
    description: '',
  })

  function withoutChoice({ anyOf, ...node }: JsonObject): JsonObject {
    if (node['x-items-checked-apart']) return omitItems(node)
    if (hasMediaTypes(node.content)) return omitFiles(node, node.content)
    if (!Array.isArray(anyOf)) return node
    const forms = anyOf as JsonObject[]
    if ('type' in node) return { ...forms.find(({ type }) => type === 'string'), ...node }
    if (areOfDifferentTypes(forms)) return { ...withAnyType(forms), ...node }
    const resolved = forms.map(resolve)
    const [form, other, ...more] = forms
    if (form && other?.type === 'null' && more.length === 0)
      return { ...nullable(resolve(form)), ...node }
    return areOfDifferentTypes(resolved)
      ? { ...withAnyType(resolved), ...node }
      : { anyOf, ...node }
  }

  function resolve(schema: JsonObject): JsonObject {
    if (typeof schema.$ref !== 'string') return schema
    const names = schema.$ref.slice(2).split('/')
    return names.reduce((parent, name) => parent[name] as JsonObject, document)
  }

  const { openapi, info, paths, components } = document
  const { schemas, parameters } = components as JsonObject
  return {
    openapi,
    info,
    paths: mapValues(paths as JsonObject, simplify),
    components: {
      schemas: mapValues(schemas as JsonObject, simplify),
      parameters: mapValues(parameters as JsonObject, simplify),
    },
  }
}

const successesOf = (responses: JsonObject) =>
  Object.fromEntries(Object.entries(responses).filter(([status]) => status.startsWith('2')))

const mapValues = (values: JsonObject, map: (value: unknown) => unknown): JsonObject =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)]))

/** Keeps the items under another keyword, where only their field names are read. */
function omitItems({ items, ...node }: JsonObject): JsonObject {
  return { ...node, 'x-items-checked-apart': items }
}

/** A property may have the name `content` too. */
const hasMediaTypes = (content: unknown): content is JsonObject =>
  isObject(content) && Object.keys(content).every((type) => /^\w+\//.test(type))

/** Drops media types other than JSON: they need no serializer. */
function omitFiles({ content: _, ...node }: JsonObject, content: JsonObject): JsonObject {
  const isJson = ([type]: [string, unknown]) => type.startsWith('application/json')
  const kept = Object.entries(content).filter(isJson)
  return kept.length > 0 ? { ...node, content: Object.fromEntries(kept) } : node
}

function areOfDifferentTypes(forms: JsonObject[]): boolean {
  const types = forms.map(({ type }) => type)
  return types.every((type) => typeof type === 'string') && new Set(types).size === forms.length
}

/** Merges the forms. A limit for numbers does not apply to texts, so all limits can stand together. */
function withAnyType(forms: JsonObject[]): JsonObject {
  return { ...Object.assign({}, ...forms), type: forms.map(({ type }) => type) }
}

function nullable(schema: JsonObject): JsonObject {
  const { type, enum: values } = schema
  const listed = Array.isArray(values) ? { enum: [...values, null] } : {}
  return { ...schema, type: [type, 'null'].flat(), ...listed }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null
}
