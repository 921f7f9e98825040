import type { FastifyReply, FastifyRequest } from 'fastify'
import { type CodedError, isBroken, isDatabaseAway, isDatabaseClosed } from './database/errors.js'
import {
  ContractError,
  emailExists,
  internalServerError,
  payloadTooLarge,
  templateExists,
  unavailable,
  unsupportedMediaType,
  userNotFound,
} from './errors.js'
import { bodyMissing } from './faults.js'

const byFastifyCode: Record<string, () => ContractError> = {
  FST_ERR_CTP_BODY_TOO_LARGE: payloadTooLarge,
  FST_ERR_CTP_INVALID_MEDIA_TYPE: unsupportedMediaType,
  FST_ERR_CTP_EMPTY_JSON_BODY: bodyMissing,
}

/** The constraints of the database that a caller can violate, by name. */
const byConstraint: Record<string, () => ContractError> = {
  email_registry_email_unique: emailExists,
  channel_templates_channel_unique: () => templateExists(),
  api_keys_user_exists: userNotFound,
}

function violatedConstraint(error: CodedError) {
  const name = Object.keys(byConstraint).find((one) => isBroken(one, error))
  return name ? byConstraint[name] : undefined
}

/** Returns the contract's error for an error; an opaque 500 if it was not expected. */
export function toContractError(error: CodedError): ContractError {
  if (error instanceof ContractError) return error
  const known = byFastifyCode[error.code ?? ''] ?? violatedConstraint(error)
  if (known) return known()
  return isDatabaseAway(error) ? unavailable() : internalServerError()
}

export function handleError(error: Error, request: FastifyRequest, reply: FastifyReply) {
  const answer = toContractError(error)
  const { statusCode, body, headers } = answer
  // Not logged: a caller who hung up while sending, or before the service stopped. Nor a 503 that was thrown on
  // purpose.
  const hasHungUp = request.socket.destroyed && (!request.raw.complete || isDatabaseClosed(error))
  if (statusCode === 500) request.log.error({ err: error }, 'request failed')
  else if (statusCode === 503 && !hasHungUp && error !== answer)
    request.log.warn({ err: error }, 'request refused')
  // The body is complete. A serializer of the route could only drop fields.
  return reply
    .code(statusCode)
    .headers(headers)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(body)
}
