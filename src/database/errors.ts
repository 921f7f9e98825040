/** An error with the extra fields of Fastify, the database driver or the network. */
export type CodedError = Error & { code?: string; constraint?: string }

/** Whether the database answered with an error. Otherwise it is away, and other statements would fail too. */
export const hasAnswered = ({ code }: CodedError) => /^(?!E)[0-9A-Z]{5}$/.test(code ?? '')

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
    isDatabaseClosed(error) ||
    isNodeAway(error)
  )
}

/** Whether the service has closed the database because it stops. Messages of pg and Kysely. */
export const isDatabaseClosed = (error: unknown) =>
  error instanceof Error &&
  /^(Cannot use a pool after calling end|driver has already been destroyed)/.test(error.message)

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
