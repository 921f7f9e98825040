import type { FastifyReply, FastifyRequest } from 'fastify'
import type { IgnoredField } from '../../ignored-fields.js'
import { nearest } from './unknown-fields.js'

/** A query could have thousands of names. */
const maxFields = 100

interface QuerySchema {
  properties?: Record<string, { type?: string | string[] }>
}

/**
 * Removes query parameters that count as absent: empty ones, `null` where null is allowed, and undeclared
 * ones, which it keeps in `unknownParameters`. Must run before all other users of the query.
 */
export function dropAbsentParameters(schema: unknown) {
  const { properties = {} }: QuerySchema = schema ?? {}
  const emptyForms = new Map(
    Object.entries(properties).map(([name, { type }]) => [name, emptyFormsOf([type].flat())]),
  )
  return (request: FastifyRequest, _reply: FastifyReply, done: () => void): void => {
    const given = request.query as Record<string, unknown>
    const unknown = Object.keys(given).filter((name) => !emptyForms.has(name))
    if (unknown.length > 0) request.unknownParameters = fieldsOf(unknown, emptyForms, given)
    for (const name of Object.keys(given)) {
      const forms = emptyForms.get(name)
      if (!forms || forms.includes(given[name])) delete given[name]
    }
    done()
  }
}

function emptyFormsOf(types: (string | undefined)[]): unknown[] {
  return types.includes('string') && types.includes('null') ? ['', 'null'] : ['']
}

function fieldsOf(names: string[], known: Map<string, unknown>, given: object): IgnoredField[] {
  return names
    .slice(0, maxFields)
    .map((name) => ({ loc: ['query', name], near: nearest(name, known, given) }))
}
