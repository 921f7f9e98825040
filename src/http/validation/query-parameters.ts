import type { FastifyReply, FastifyRequest } from 'fastify'

interface QuerySchema {
  properties?: Record<string, { type?: string | string[] }>
}

/**
 * Takes out of the query what counts as not given: what the contract does not declare, an empty
 * text, and the text `null` of a parameter that may be null. To run before anything looks at it.
 */
export function dropWhatIsNotGiven(schema: unknown) {
  const { properties = {} }: QuerySchema = schema ?? {}
  const emptyForms = new Map(
    Object.entries(properties).map(([name, { type }]) => [name, emptyFormsOf([type].flat())]),
  )
  return ({ query }: FastifyRequest, _reply: FastifyReply, done: () => void): void => {
    const given = query as Record<string, unknown>
    for (const name of Object.keys(given)) {
      const forms = emptyForms.get(name)
      if (!forms || forms.includes(given[name])) delete given[name]
    }
    done()
  }
}

function emptyFormsOf(types: (string | undefined)[]): unknown[] {
  if (!types.includes('string')) return []
  return types.includes('null') ? ['', 'null'] : ['']
}
