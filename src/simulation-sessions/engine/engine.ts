import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Trx } from '../../database/schema.js'
import { createId } from '../../formats/identifiers.js'
import type { Clock } from '../../process/clock.js'
import { type Repetition, repeat } from '../../process/repeat.js'
import { isDue, isRunning } from '../lifecycle.js'
import type { SessionKey } from '../queries.js'
import { type StartDependencies, start } from '../start/start.js'
import { advance } from './advance.js'
import { claimSession, selectDue } from './due-queries.js'
import { Failures } from './failure.js'
import { SessionPool } from './session-pool.js'

type Dependencies = StartDependencies & Pick<FastifyInstance, 'db' | 'dbOf' | 'log'>
type Request = Pick<FastifyRequest, 'id' | 'caller'>

interface Pace {
  /** How often a process looks for due sessions. */
  tickMs?: number
  clock?: Clock
}

/** Limits of one process for sessions that already run. */
const runningLimits = { capacity: 5, reserve: 1 }
/** Sessions that start have a pool of their own: a long plan takes seconds and must delay no message. */
const startingLimits = { capacity: 4, reserve: 2 }

/**
 * Starts and advances sessions in the background. Every process runs the same engine. Processes
 * share no leader and no queue: `next_due_at` of a session says when it has work. Each tick selects the due
 * sessions. A process claims a session by locking its row, and skips rows that are locked already.
 */
export function createEngine(
  dependencies: Dependencies,
  { tickMs = 1_000, clock }: Pace,
): Repetition {
  const failures = new Failures(dependencies)
  const processKey = (key: SessionKey) => processSession(dependencies, key, failures)
  const running = new SessionPool(runningLimits, processKey)
  const starting = new SessionPool(startingLimits, processKey)

  async function tick(): Promise<void> {
    try {
      const due = await selectDue(dependencies.db, {})
      running.add(due.filter(({ status }) => status !== 'scheduled'))
      starting.add(due.filter(({ status }) => status === 'scheduled'))
    } catch (err) {
      dependencies.log.warn({ err }, 'due sessions could not be selected')
    }
    // A full pool holds the tick back until one session is done. If all hang, /ready reports it.
    await running.whileFull()
  }

  const ticks = repeat(tick, { firstMs: Math.random() * tickMs, periodMs: tickMs }, clock)
  return {
    ...ticks,
    async stop() {
      await Promise.all([ticks.stop(), running.stop(), starting.stop()])
    },
  }
}

/** Processes one session in one transaction. Returns whether more is due in it. */
async function processSession(
  dependencies: Dependencies,
  key: SessionKey,
  failures: Failures,
): Promise<boolean> {
  const request = { id: createId(), caller: null }
  try {
    const db = dependencies.dbOf(key.organization_id)
    const isMoreDue = await db
      .transaction()
      .execute((trx) => claimAndAdvance(trx, dependencies, request, key))
    failures.clear(key)
    return isMoreDue
  } catch (err) {
    await failures.postpone(key, request, err as Error)
    return false
  }
}

async function claimAndAdvance(
  trx: Trx,
  dependencies: Dependencies,
  request: Request,
  key: SessionKey,
): Promise<boolean> {
  const session = await claimSession(trx, key)
  if (!session || !isDue(session)) return false
  if (isRunning(session)) return advance(trx, request, session)
  if (session.status !== 'scheduled') return false
  await start(trx, dependencies, request, session, { actor_type: 'system' })
  return true
}
