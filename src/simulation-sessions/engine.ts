import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Transaction } from 'kysely'
import type { Clock } from '../clock.js'
import type { Database } from '../database/schema.js'
import { createId } from '../identifiers.js'
import { type Repetition, repeat } from '../repeat.js'
import { advance } from './advance.js'
import { selectDue, takeSession } from './due-queries.js'
import { DueTurns } from './due-turns.js'
import { Failures } from './failure.js'
import { isDue, isRunning } from './lifecycle.js'
import type { SessionKey } from './queries.js'
import { type Stage, start } from './start.js'

type Service = Stage & Pick<FastifyInstance, 'db' | 'dbOf' | 'log'>
type Request = Pick<FastifyRequest, 'id' | 'caller'>

/** How often a process looks for what is due. */
const periodMs = 1_000

/** How many running sessions a process deals with at once, and how many of them of one organization. */
const ofRunning = { atOnce: 5, mostOfOne: 4, mostOfSlow: 2 }
/** The same of sessions that start: a long plan takes seconds, for which no message waits. */
const ofStarting = { atOnce: 4, mostOfOne: 2, mostOfSlow: 2 }

/**
 * Keeps sessions going beside the requests, in every process alike: none leads, and there is no
 * queue, for what is due stands in the sessions themselves. Whoever holds a session's row deals with
 * it, and the others pass it by. A look comes every second, however much one organization has due.
 */
export function keepSessionsGoing(service: Service, clock?: Clock): Repetition {
  const failures = new Failures(service)
  const deal = (key: SessionKey) => dealWith(service, key, failures)
  const running = new DueTurns(ofRunning, deal)
  const starting = new DueTurns(ofStarting, deal)

  async function look(): Promise<void> {
    try {
      const due = await selectDue(service.db, {})
      running.replace(due.filter(({ status }) => status !== 'scheduled'))
      starting.replace(due.filter(({ status }) => status === 'scheduled'))
    } catch (err) {
      service.log.warn({ err }, 'sessions do not go on for now')
    }
    // If all turns are taken, the look waits until one session is done. If all are stuck, /ready tells.
    await running.whileStuck()
  }

  const looks = repeat(look, { firstMs: Math.random() * periodMs, periodMs }, clock)
  return {
    ...looks,
    async stop() {
      await Promise.all([looks.stop(), running.stop(), starting.stop()])
    },
  }
}

/** Deals with one session in one transaction. Returns whether more may be due in it. */
async function dealWith(service: Service, key: SessionKey, failures: Failures): Promise<boolean> {
  const request = { id: createId(), caller: null }
  try {
    const db = service.dbOf(key.organization_id)
    const isStillDue = await db.transaction().execute((trx) => goOn(trx, service, request, key))
    failures.forget(key)
    return isStillDue
  } catch (err) {
    await failures.keep(key, request, err as Error)
    return false
  }
}

async function goOn(
  trx: Transaction<Database>,
  service: Service,
  request: Request,
  key: SessionKey,
): Promise<boolean> {
  const session = await takeSession(trx, key)
  if (!session || !isDue(session)) return false
  if (isRunning(session)) return advance(trx, request, session)
  if (session.status !== 'scheduled') return false
  await start(trx, service, request, session, { actor_type: 'system' })
  return true
}
