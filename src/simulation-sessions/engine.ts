import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Transaction } from 'kysely'
import type { Database } from '../database/schema.js'
import { createId } from '../identifiers.js'
import { type Clock, type Repetition, repeat } from '../repeat.js'
import { advance } from './advance.js'
import { selectDue, takeSession } from './due-queries.js'
import { DueSessions } from './due-sessions.js'
import { Failures } from './failure.js'
import { isDue, isRunning } from './lifecycle.js'
import type { SessionKey } from './queries.js'
import { type Stage, start } from './start.js'

type Service = Stage & Pick<FastifyInstance, 'db' | 'dbOf' | 'log'>
type Request = Pick<FastifyRequest, 'id' | 'caller'>

/** How often a process looks for what is due. */
const periodMs = 1_000

/** How many sessions a process deals with at once. */
const atOnce = 5
/** How many of them are of one organization: what takes it long keeps no other one waiting. */
const mostOfOne = 4

/**
 * Keeps sessions going beside the requests, in every process alike: none leads, and there is no
 * queue, for what is due stands in the sessions themselves. Whoever holds a session's row deals with
 * it, and the others pass it by. A look comes every second, however much one organization has due.
 */
export function keepSessionsGoing(service: Service, clock?: Clock): Repetition {
  const waiting = new DueSessions(mostOfOne)
  const failures = new Failures(service)
  const underWay = new Set<Promise<void>>()
  let isStopped = false

  async function look(): Promise<void> {
    try {
      waiting.replace(await selectDue(service.db, {}))
    } catch (err) {
      service.log.warn({ err }, 'sessions do not go on for now')
    }
    beginTurns()
    // The look is over once a session is: it does not come round while all of them are stuck.
    if (underWay.size === atOnce) await Promise.race(underWay)
  }

  function beginTurns(): void {
    while (underWay.size < atOnce && !isStopped) {
      const key = waiting.take()
      if (!key) return
      const turn = dealWith(service, key, failures).then((isStillDue) => {
        underWay.delete(turn)
        waiting.putBack(key, isStillDue)
        beginTurns()
      })
      underWay.add(turn)
    }
  }

  const looks = repeat(look, { firstMs: Math.random() * periodMs, periodMs }, clock)
  return {
    ...looks,
    async stop() {
      isStopped = true
      await Promise.all([looks.stop(), ...underWay])
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
