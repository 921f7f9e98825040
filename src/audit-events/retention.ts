import type { FastifyBaseLogger } from 'fastify'
import { type CodedError, hasAnswered } from '../database/errors.js'
import type { Db } from '../database/schema.js'
import { createId } from '../formats/identifiers.js'
import { hourMs } from '../process/clock.js'
import { type Repetition, repeat } from '../process/repeat.js'
import { recordAuditEvents } from './record.js'
import * as queries from './retention-queries.js'

/** The number of events that one transaction removes. */
const batchSize = 5_000

export interface Pruning {
  organization_id: string
  events: number
}

/**
 * Prunes the trails of all organizations, and yields each batch. If one organization fails, it goes on
 * with the others and throws the error at the end.
 */
export async function* pruneTrails(db: Db): AsyncGenerator<Pruning> {
  let failure: unknown
  for (const organization_id of await queries.selectOrganizationsToPrune(db)) {
    try {
      yield* pruneTrail(db, organization_id)
    } catch (error) {
      if (!hasAnswered(error as CodedError)) throw error
      failure = error
    }
  }
  if (failure) throw failure
}

async function* pruneTrail(db: Db, organization_id: string): AsyncGenerator<Pruning> {
  for (let events = batchSize; events === batchSize; ) {
    events = await pruneBatch(db, organization_id)
    if (events > 0) yield { organization_id, events }
  }
}

/**
 * Removes the oldest events of an organization that are sealed and too old, and records it. Stops at
 * a missing event, so that verification still finds it. Returns the number of removed events; 0 also
 * if another process is pruning this organization.
 */
async function pruneBatch(db: Db, organization_id: string): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const retention = await queries.lockRetention(trx, organization_id, { skipLocked: true })
    if (!retention) return 0
    const { days, pruned_to: after } = retention
    const seals = await queries.selectOldestSeals(trx, organization_id, { after, limit: batchSize })
    const event_ids = seals.map(({ event_id }) => event_id)
    const old = await queries.selectOld(trx, organization_id, { event_ids, days })
    const oldIds = new Set(old.map(({ _id }) => _id))
    const kept = seals.findIndex(
      ({ event_id, sequence }, i) => !oldIds.has(event_id) || sequence !== after + 1 + i,
    )
    const removed = kept === -1 ? seals : seals.slice(0, kept)
    const last = removed.at(-1)
    if (!last) return 0
    const removedIds = event_ids.slice(0, removed.length)
    await queries.deleteEvents(trx, { organization_id, event_ids: removedIds, to: last })
    const hash = Buffer.from(last.hash).toString('hex')
    const metadata = { from: after + 1, to: last.sequence, hash, events: removed.length, days }
    await recordAuditEvents(trx, { id: createId(), caller: null }, [
      {
        organization_id,
        category: 'audit',
        event_type: 'audit_pruned',
        actor_type: 'system',
        metadata,
      },
    ])
    return removed.length
  })
}

/** Prunes once a day. The first time is at a random moment within an hour. */
export function keepPruning(
  db: Db,
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>,
  firstMs: number = Math.random() * hourMs,
): Repetition {
  async function prune(isStopped: () => boolean): Promise<void> {
    try {
      for await (const pruning of pruneTrails(db)) {
        log.info(pruning, 'audit events pruned')
        if (isStopped()) return
      }
    } catch (err) {
      log.warn({ err }, 'audit events are not pruned')
    }
  }
  return repeat(prune, { firstMs, pauseMs: 24 * hourMs })
}
