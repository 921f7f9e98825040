import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Transaction } from 'kysely'
import { LRUCache } from 'lru-cache'
import { recordAuditEvents } from '../audit-events/record.js'
import type { Schema } from '../contract.js'
import { jsonb } from '../database/expressions.js'
import type { Database } from '../database/schema.js'
import { ContractError, internalServerError } from '../errors.js'
import { type CodedError, toContractError } from '../failures.js'
import { movedBy } from './clock.js'
import { complete } from './completion.js'
import { takeSession } from './due-queries.js'
import { isDue, isRunning } from './lifecycle.js'
import { type LockedSession, type SessionKey, updateProgress, updateSession } from './queries.js'
import { sessionEvent } from './session-events.js'

type Trx = Transaction<Database>
type Service = Pick<FastifyInstance, 'dbOf' | 'log'>
type Request = Pick<FastifyRequest, 'id' | 'caller'>

/** How often a session is tried before it has failed. */
const tries = 5

/** How long it waits after the first try, and twice as long after each further one. */
const firstPauseMs = 1_000

/** The log tells of a session once in this time. */
const toldOnceInMs = 60_000

/** What becomes of sessions that cannot start or go on. */
export class Failures {
  readonly #service: Service
  readonly #told = new LRUCache<string, true>({ max: 1_000, ttl: toldOnceInMs })

  constructor(service: Service) {
    this.#service = service
  }

  /** Counts a try in the session, where all processes see it. */
  async keep(key: SessionKey, request: Request, error: Error): Promise<void> {
    const { dbOf, log } = this.#service
    const db = dbOf(key.organization_id)
    const about = { err: error, session_id: key._id, request_id: request.id }
    const isTold = this.#told.has(key._id)
    if (!isTold) log.error(about, 'a session does not go on')
    this.#told.set(key._id, true, { noUpdateTTL: true })
    // The session cannot help it, and is tried again with the next look.
    if (isAway(error)) return
    try {
      const failed = await db.transaction().execute((trx) => countFailure(trx, key, request, error))
      if (failed) log.error(about, 'a session has failed')
    } catch (err) {
      if (!isTold) log.warn({ err, session_id: key._id }, 'a session cannot be put off')
    }
  }

  forget({ _id }: SessionKey): void {
    this.#told.delete(_id)
  }
}

/**
 * Errors of the database that come from what is in a session: a statement that takes too long, a
 * transaction that is idle for too long, one that cannot be serialized, and a deadlock.
 */
const ownErrors = ['57014', '25P03', '40001', '40P01']

/** Whether the database is away, or has no connection left for a while. */
const isAway = (error: CodedError) =>
  toContractError(error).statusCode === 503 && !ownErrors.includes(error.code ?? '')

/** Returns whether it was the last try. A session whose end has come is over, whatever went wrong. */
async function countFailure(
  trx: Trx,
  key: SessionKey,
  request: Request,
  error: Error,
): Promise<boolean> {
  const session = await takeSession(trx, key)
  if (!session || !isDue(session)) return false
  if (isRunning(session) && (await complete(trx, request, session))) return false
  const failures = session.failures + 1
  if (failures >= tries) {
    await fail(trx, request, session, failureOf(error, request, session.now))
    return true
  }
  const next_due_at = movedBy(session.now, firstPauseMs * 2 ** (failures - 1))
  await updateProgress(trx, session, { failures, next_due_at })
  return false
}

/** Stops trying. The clock of a session that has started stands still, as in a pause. */
async function fail(
  trx: Trx,
  request: Request,
  session: LockedSession,
  failure: Schema<'SessionFailure'>,
): Promise<void> {
  const { started_at, now } = session
  await updateSession(trx, session, {
    status: 'failed',
    failures: tries,
    failure: jsonb(failure),
    paused_at: started_at === null ? null : now,
    next_due_at: null,
  })
  const { code, detail } = failure
  const details = { actor_type: 'system', status: 'failure', metadata: { code, detail } } as const
  await recordAuditEvents(trx, request, [sessionEvent(session, 'session_failed', details)])
}

/** What may be told of an error: what the contract promises; of all else the log knows more. */
function failureOf(error: Error, { id }: Request, at: string): Schema<'SessionFailure'> {
  if (error instanceof ContractError && 'code' in error.body) {
    const { code, detail, quota = null, used = null, allowed = null } = error.body
    return { code, detail, quota, used, allowed, request_id: id, at }
  }
  const { message: code } = internalServerError()
  const detail = 'It failed inside the service, whose log tells more under this request_id'
  return { code, detail, quota: null, used: null, allowed: null, request_id: id, at }
}
