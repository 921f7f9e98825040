import type { FastifyInstance, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { recordAuditEvents } from '../../audit-events/record.js'
import type { Schema } from '../../contract.js'
import type { CodedError } from '../../database/errors.js'
import { jsonb } from '../../database/expressions.js'
import type { Trx } from '../../database/schema.js'
import { ContractError, internalServerError } from '../../errors.js'
import { toContractError } from '../../thrown-errors.js'
import { movedBy } from '../clock/clock.js'
import { isDue, isRunning } from '../lifecycle.js'
import { updateProgress } from '../progress-queries.js'
import { type LockedSession, type SessionKey, updateSession } from '../queries.js'
import { sessionEvent } from '../session-events.js'
import { completeIfOver } from './completion.js'
import { claimSession } from './due-queries.js'

type Dependencies = Pick<FastifyInstance, 'dbOf' | 'log'>
type Request = Pick<FastifyRequest, 'id' | 'caller'>

/** After this many attempts a session has failed. */
const maxAttempts = 5

/** The backoff after the first failed attempt. It doubles after each further one. */
const firstBackoffMs = 1_000

/** One session is logged at most once in this time. */
const logIntervalMs = 60_000

/** Handles sessions that could not start or advance. */
export class Failures {
  readonly #dependencies: Dependencies
  /** The ids of sessions that were logged lately. */
  readonly #logged = new LRUCache<string, true>({ max: 1_000, ttl: logIntervalMs })

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  /**
   * Counts a failed attempt in the row of the session, where all processes see it, and postpones the
   * next one.
   */
  async postpone(key: SessionKey, request: Request, error: Error): Promise<void> {
    const { dbOf, log } = this.#dependencies
    const db = dbOf(key.organization_id)
    const about = { err: error, session_id: key._id, request_id: request.id }
    const isLogged = this.#logged.has(key._id)
    if (!isLogged) log.error(about, 'session could not advance')
    this.#logged.set(key._id, true, { noUpdateTTL: true })
    // The session is not the cause: the next tick tries again.
    if (isUnavailable(error)) return
    try {
      const failed = await db.transaction().execute((trx) => countFailure(trx, key, request, error))
      if (failed) log.error(about, 'session failed')
    } catch (err) {
      if (!isLogged) log.warn({ err, session_id: key._id }, 'session could not be postponed')
    }
  }

  /** Forgets that a session was logged, once it has advanced. */
  clear({ _id }: SessionKey): void {
    this.#logged.delete(_id)
  }
}

/**
 * Database errors that the data of a session can cause: a statement timeout, an idle transaction
 * timeout, a serialization failure and a deadlock.
 */
const sessionErrors = ['57014', '25P03', '40001', '40P01']

/** Whether the database is down or has no free connection. */
const isUnavailable = (error: CodedError) =>
  toContractError(error).statusCode === 503 && !sessionErrors.includes(error.code ?? '')

/** Returns whether it was the last attempt. A session past its end is completed instead. */
async function countFailure(
  trx: Trx,
  key: SessionKey,
  request: Request,
  error: Error,
): Promise<boolean> {
  const session = await claimSession(trx, key)
  if (!session || !isDue(session)) return false
  if (isRunning(session) && (await completeIfOver(trx, request, session))) return false
  const failures = session.failures + 1
  if (failures >= maxAttempts) {
    await fail(trx, request, session, failureOf(error, request, session.now))
    return true
  }
  const next_due_at = movedBy(session.now, firstBackoffMs * 2 ** (failures - 1))
  await updateProgress(trx, session, { failures, next_due_at })
  return false
}

/** Gives up. The clock of a started session stops, as in a pause. */
async function fail(
  trx: Trx,
  request: Request,
  session: LockedSession,
  failure: Schema<'SessionFailure'>,
): Promise<void> {
  await updateSession(trx, session, {
    status: 'failed',
    failures: maxAttempts,
    failure: jsonb(failure),
    paused_at: session.started_at === null ? null : session.now,
    next_due_at: null,
  })
  const { code, detail } = failure
  const details = { actor_type: 'system', status: 'failure', metadata: { code, detail } } as const
  await recordAuditEvents(trx, request, [sessionEvent(session, 'session_failed', details)])
}

/** An error as clients may see it. Only the log has the details of errors outside the contract. */
function failureOf(error: Error, { id }: Request, at: string): Schema<'SessionFailure'> {
  if (error instanceof ContractError && 'code' in error.body) {
    const { code, detail, quota = null, used = null, allowed = null } = error.body
    return { code, detail, quota, used, allowed, request_id: id, at }
  }
  const { message: code } = internalServerError()
  const detail = 'It failed inside the service: its log has details under this request_id'
  return { code, detail, quota: null, used: null, allowed: null, request_id: id, at }
}
