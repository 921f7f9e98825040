import type { FastifyReply, FastifyRequest } from 'fastify'
import { throwFaults } from '../../errors.js'
import { type IgnoredField, nameIgnored } from '../../ignored-fields.js'
import { workOn } from './bodies.js'
import type { SchemaObject } from './declared.js'
import { findUnknown, knownFieldsOf, unknownFault } from './unknown-fields.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** The parameters of its query that the contract does not declare; they are taken out of it. */
    unknownParameters: IgnoredField[] | null
  }
}

/**
 * Names what the contract does not declare in the header of the answer, before anything is validated.
 * Throws 422 where the request asks for strict handling (RFC 7240, 4.4).
 */
export function nameUnknown(schema: SchemaObject | undefined) {
  const known = schema && knownFieldsOf(schema)
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const found = [...(request.unknownParameters ?? [])]
    if (known) await workOn(request.body, findUnknown(known, request.body, ['body'], found))
    if (isStrict(request)) throwFaults(found.map(unknownFault))
    nameIgnored(reply, found)
  }
}

function isStrict({ headers: { prefer = '' } }: FastifyRequest): boolean {
  const preferences = [prefer].flat().join().toLowerCase().split(',')
  return preferences.some((one) => /^\s*handling\s*=\s*"?strict"?\s*(;|$)/.test(one))
}
