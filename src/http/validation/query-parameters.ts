import type { FastifyRequest } from 'fastify'

interface QuerySchema {
  properties?: Record<string, { type?: string | string[] }>
}

/**
 * Takes out of the query what the contract says is as not given: an empty text, and the text `null`
 * of a parameter that may be null. To run before anything looks at the query.
 */
export function dropEmptyParameters(schema: unknown) {
  const { properties = {} }: QuerySchema = schema ?? {}
  const emptyForms = Object.entries(properties).flatMap(([name, { type }]) => {
    const types = [type].flat()
    if (!types.includes('string')) return []
    return [{ name, forms: types.includes('null') ? ['', 'null'] : [''] }]
  })
  return async ({ query }: FastifyRequest): Promise<void> => {
    const given = query as Record<string, unknown>
    for (const { name, forms } of emptyForms) {
      const value = given[name]
      if (typeof value === 'string' && forms.includes(value)) delete given[name]
    }
  }
}
