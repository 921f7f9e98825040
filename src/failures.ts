import type { FastifyReply, FastifyRequest } from 'fastify'
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

/** An error with the extra fields of Fastify, the database driver or the network. */
export type CodedError = Error & { code?: string; constraint?: string }

/** Whether the database answered with an error. Otherwise it is away, and other statements would fail too. */
export const hasAnswered = ({ code }: CodedError) => /^(?!E)[0-9A-Z]{5}$/.test(code ?? '')

/** The constraints of the database that a caller can violate, by name. */
const byConstraint: Record<string, () => ContractError> = {
  email_registry_email_unique: emailExists,
  channel_templates_channel_unique: () => templateExists(),
  api_keys_user_exists: userNotFound,
}

/**
 * Whether PostgreSQL is starting, stopping, full or too busy to take a lock (SQLSTATE classes 08, 53
 * and 57, 25P03 and 55P03), has a conflict of transactions (40001, 40P01), or cannot be reached.
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

/** Messages of pg and libpq when a connection ends or cannot be opened. */
const lostConnection =
  /^(timeout exceeded when trying to connect|Connection terminated|Client (has encountered a connection error|was closed)|SSL (SYSCALL|connection)|server closed the connection|could not (receive data from|send data to|connect to) server|no connection to the server|connection (not open|to server))/

/**
 * Whether a cluster has lost a node. Its message is one of Citus or libpq, and its code is that of an
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
 * Whether a statement violated a constraint. A cluster has the constraint's name only in its message,
 * with the number of the shard after it, and its code is not always that of PostgreSQL.
 */
export function isBroken(name: string, { code = '', constraint, message }: CodedError): boolean {
  if (!/^(23|XX)/.test(code)) return false
  return RegExp(`\\b${name}(_\\d+)?\\b`).test(constraint ?? message)
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

/** A body that is too large is dropped up to this size, and the connection stays open. */
const maxDroppedBytes = 4_194_304

/**
 * Whether the connection can stay open after a body that was refused. A proxy that still sends the rest
 * would answer 502 in place of the error if it closed (https://github.com/golang/go/issues/22209).
 */
function dropsRest({ raw, headers }: FastifyRequest): boolean {
  return raw.complete || Number(headers['content-length'] ?? Infinity) <= maxDroppedBytes
}

export function handleError(error: Error, request: FastifyRequest, reply: FastifyReply) {
  const answer = toContractError(error)
  const { statusCode, body, headers } = answer
  // Not logged: a caller who hung up while sending, and a 503 that was thrown on purpose.
  const hasHungUp = request.socket.destroyed && !request.raw.complete
  if (statusCode === 500) request.log.error({ err: error }, 'request failed')
  else if (statusCode === 503 && !hasHungUp && error !== answer)
    request.log.warn({ err: error }, 'request refused')
  if (dropsRest(request)) reply.removeHeader('connection')
  // The body is complete. A serializer of the route could only drop fields.
  return reply
    .code(statusCode)
    .headers(headers)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(body)
}
