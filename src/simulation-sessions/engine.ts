import type { FastifyInstance } from 'fastify'
import type { Transaction } from 'kysely'
import type { Database } from '../database/schema.js'
import { createId } from '../identifiers.js'
import { type Repetition, repeat } from '../repeat.js'
import { advance } from './advance.js'
import { movedBy } from './clock.js'
import { complete } from './completion.js'
import { dueAtOnce, selectDue, takeSession } from './due-queries.js'
import { isDue, isRunning } from './lifecycle.js'
import { type SessionKey, updateProgress } from './queries.js'
import { start } from './start.js'

type Service = Pick<FastifyInstance, 'db' | 'log' | 'catalogue' | 'scenarioLabel'>

/** How often a process looks for what is due. */
const periodMs = 1_000

/** How many sessions of those due a process deals with at once. */
const atOnce = 4

/**
 * Keeps sessions going beside the requests, in every process alike: none leads, and there is no
 * queue, for what is due stands in the sessions themselves. Whoever holds a session's row deals with
 * it, and the others pass it by.
 */
export function keepSessionsGoing(service: Service): Repetition {
  const failing = new Set<string>()
  async function tick(isStopped: () => boolean): Promise<void> {
    try {
      for (let isMore = true; isMore && !isStopped(); ) {
        const due = await selectDue(service.db, {})
        const done = await dealWithAll(service, due, failing, isStopped)
        isMore = due.length === dueAtOnce && done > 0
      }
    } catch (err) {
      service.log.warn({ err }, 'sessions do not go on for now')
    }
  }
  return repeat(tick, { firstMs: Math.random() * periodMs, periodMs })
}

async function dealWithAll(
  service: Service,
  due: SessionKey[],
  failing: Set<string>,
  isStopped: () => boolean,
): Promise<number> {
  // In an order of its own, so that processes seldom want the same session.
  const waiting = due.map((key) => ({ key, at: Math.random() })).sort((a, b) => a.at - b.at)
  let done = 0
  async function work(): Promise<void> {
    for (let next = waiting.pop(); next && !isStopped(); next = waiting.pop()) {
      if (await dealWith(service, next.key, failing)) done++
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return done
}

/** Whether a session went on as far as it is due. One that cannot keeps no other waiting. */
async function dealWith(service: Service, key: SessionKey, failing: Set<string>): Promise<boolean> {
  const { db, log } = service
  try {
    let isStillDue = true
    while (isStillDue) isStillDue = await db.transaction().execute((trx) => goOn(trx, service, key))
    failing.delete(key._id)
    return true
  } catch (err) {
    const hasFailedBefore = failing.has(key._id)
    failing.add(key._id)
    if (!hasFailedBefore) log.error({ err, session_id: key._id }, 'a session does not go on')
    await db
      .transaction()
      .execute((trx) => endOrPutOff(trx, key, hasFailedBefore))
      // The database may be away altogether.
      .catch((err) => log.warn({ err, session_id: key._id }, 'a session cannot be put off'))
    return false
  }
}

const request = () => ({ id: createId(), caller: null })

/** Gives whether the session may still be due. */
async function goOn(
  trx: Transaction<Database>,
  service: Service,
  key: SessionKey,
): Promise<boolean> {
  const session = await takeSession(trx, key)
  if (!session || !isDue(session)) return false
  if (isRunning(session)) return advance(trx, request(), session)
  if (session.status !== 'scheduled') return false
  await start(trx, service, request(), session, { actor_type: 'system' })
  return true
}

/** How long one is left alone that has failed again. */
const putOffMs = 10_000

/** A session whose end has come is over, whatever keeps its messages from being posted. */
async function endOrPutOff(
  trx: Transaction<Database>,
  key: SessionKey,
  hasFailedBefore: boolean,
): Promise<void> {
  const session = await takeSession(trx, key)
  if (!session || !isDue(session)) return
  const isOver = isRunning(session) && (await complete(trx, request(), session))
  if (isOver || !hasFailedBefore) return
  await updateProgress(trx, session, { next_due_at: movedBy(session.now, putOffMs) })
}
