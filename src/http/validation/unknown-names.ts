import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import { validationFailed } from '../../faults.js'
import { type IgnoredField, nameIgnored } from '../../ignored-fields.js'
import type { SchemaObject } from './declared.js'
import { findUnknown, knownFieldsOf, unknownFault } from './unknown-fields.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** The undeclared parameters that were removed from its query. */
    unknownParameters: IgnoredField[] | null
  }
}

/**
 * Names undeclared fields and parameters in a header of the answer, before the request is validated.
 * Throws 422 if the request asks for strict handling (RFC 7240, 4.4).
 */
export function nameUnknown(schema: SchemaObject | undefined) {
  const known = schema && knownFieldsOf(schema)
  return (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    const found = [...(request.unknownParameters ?? [])]
    if (known) findUnknown(known, request.body, ['body'], found)
    if (found.length > 0 && isStrict(request)) {
      done(validationFailed(found.map(unknownFault)))
      return
    }
    nameIgnored(reply, found)
    done()
  }
}

function isStrict({ headers: { prefer = '' } }: FastifyRequest): boolean {
  const preferences = [prefer].flat().join().toLowerCase().split(',')
  return preferences.some((one) => /^\s*handling\s*=\s*"?strict"?\s*(;|$)/.test(one))
}
