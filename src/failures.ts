import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  bodyMissing,
  ContractError,
  emailExists,
  internalServerError,
  payloadTooLarge,
  templateExists,
  unavailable,
  unsupportedMediaType,
  userNotFound,
} from './errors.js'

const byFastifyCode: Record<string, () => ContractError> = {
  FST_ERR_CTP_BODY_TOO_LARGE: payloadTooLarge,
  FST_ERR_CTP_INVALID_MEDIA_TYPE: unsupportedMediaType,
  FST_ERR_CTP_EMPTY_JSON_BODY: bodyMissing,
}

/** What Fastify, the driver or the network may say more than a message. */
export type CodedError = Error & { code?: string; constraint?: string }

/** Whether the database answered with an error; when it is away, all others would wait in vain. */
export const hasAnswered = ({ code }: CodedError) => /^(?!E)[0-9A-Z]{5}$/.test(code ?? '')

/** The invariants that the database holds and a caller can break, by the constraint's name. */
const byConstraint: Record<string, () => ContractError> = {
  email_registry_email_unique: emailExists,
  channel_templates_channel_unique: () => templateExists(),
  api_keys_user_exists: userNotFound,
}

/**
 * PostgreSQL is starting, stopping, full or too busy to take a lock (SQLSTATE classes 08, 53 and
 * 57, 25P03 and 55P03), has two transactions in each other's way (40001, 40P01), or cannot be
 * reached.
 */
export function isDatabaseAway(error: CodedError): boolean {
  return (
    /^(08...|53...|57...|55P03|25P03|40001|40P01|E(CONNREFUSED|CONNRESET|NOTFOUND|TIMEDOUT|PIPE|AI_AGAIN|HOSTUNREACH|NETUNREACH))$/.test(
      error.code ?? '',
    ) ||
    lostConnection.test(error.message) ||
    isNodeAway(error)
  )
}

/** What pg and libpq say of a connection that ends or does not come about. */
const lostConnection =
  /^(timeout exceeded when trying to connect|Connection terminated|Client (has encountered a connection error|was closed)|SSL (SYSCALL|connection)|server closed the connection|could not (receive data from|send data to|connect to) server|no connection to the server|connection (not open|to server))/

/**
 * Whether a cluster has lost a node: it says so in words of its own or of libpq, with the code of an
 * internal error or of a node that is shutting down.
 */
function isNodeAway({ code = '', message }: CodedError): boolean {
  if (!/^(XX000|55000|25P02|58...)$/.test(code)) return false
  return (
    lostConnection.test(message) ||
    /connection to the remote node|failure on connection|lost connection|the connection was closed|connection has been closed|could not connect to any active placement|failed to (execute task|assign .* task|establish a connection)|does not have (an active|a primary) node|could not commit transaction|terminating connection|node group .* does not/i.test(
      message,
    )
  )
}

/**
 * Whether a statement broke an invariant. A cluster tells the constraint's name in the message only,
 * with the number of the shard behind it, and its code is not always the one of PostgreSQL.
 */
export function isBroken(name: string, { code = '', constraint, message }: CodedError): boolean {
  if (!/^(23|XX)/.test(code)) return false
  return RegExp(`\\b${name}(_\\d+)?\\b`).test(constraint ?? message)
}

function brokenInvariant(error: CodedError) {
  const name = Object.keys(byConstraint).find((one) => isBroken(one, error))
  return name ? byConstraint[name] : undefined
}

/** The answer that an error is by the contract; an opaque 500 for what nobody expected. */
export function toContractError(error: CodedError): ContractError {
  if (error instanceof ContractError) return error
  const known = byFastifyCode[error.code ?? ''] ?? brokenInvariant(error)
  if (known) return known()
  return isDatabaseAway(error) ? unavailable() : internalServerError()
}

export function handleError(error: Error, request: FastifyRequest, reply: FastifyReply) {
  const answer = toContractError(error)
  const { statusCode, body, headers } = answer
  // Of a caller who hung up while sending there is nothing to tell, nor of a 503 that is meant.
  const hasHungUp = request.socket.destroyed && !request.raw.complete
  if (statusCode === 500) request.log.error({ err: error }, 'request failed')
  else if (statusCode === 503 && !hasHungUp && error !== answer)
    request.log.warn({ err: error }, 'request refused')
  // The body is complete: a serializer made for one status could only take something away.
  return reply
    .code(statusCode)
    .headers(headers)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(body)
}
