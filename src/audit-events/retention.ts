import type { FastifyBaseLogger } from 'fastify'
import type { Kysely } from 'kysely'
import type { Database } from '../database/schema.js'
import { type CodedError, hasAnswered } from '../failures.js'
import { createId } from '../identifiers.js'
import { type Repetition, repeat } from '../repeat.js'
import { recordAuditEvents } from './record.js'
import * as queries from './retention-queries.js'

type Db = Kysely<Database>

/** Events that are removed at once. */
const batch = 5_000

const hourMs = 60 * 60 * 1_000

export interface Pruning {
  organization_id: string
  events: number
}

/**
 * Removes what every organization no longer keeps, and tells of each batch. One that cannot be pruned
 * keeps no other from it: its failure is thrown at the end.
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
  for (let events = batch; events === batch; ) {
    events = await pruneBatch(db, organization_id)
    if (events > 0) yield { organization_id, events }
  }
}

/**
 * Removes the oldest events of an organization as far as they are sealed and too old, and records
 * that. Where one is missing it stops, so that no trace of that is lost. Returns their number; 0 as
 * well while another process does it.
 */
async function pruneBatch(db: Db, organization_id: string): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const retention = await queries.takeRetention(trx, organization_id, 'skip')
    if (!retention) return 0
    const { days, pruned_to: after } = retention
    const oldest = await queries.selectOldest(trx, { organization_id, after, days, most: batch })
    const kept = oldest.findIndex(
      ({ is_old, sequence }, i) => !is_old || sequence !== after + 1 + i,
    )
    const old = kept === -1 ? oldest : oldest.slice(0, kept)
    const last = old.at(-1)
    if (!last) return 0
    const event_ids = old.map(({ event_id }) => event_id)
    await queries.deleteEvents(trx, { organization_id, event_ids, to: last })
    const hash = Buffer.from(last.hash).toString('hex')
    const metadata = { from: after + 1, to: last.sequence, hash, events: old.length, days }
    await recordAuditEvents(trx, { id: createId(), caller: null }, [
      {
        organization_id,
        category: 'audit',
        event_type: 'audit_pruned',
        actor_type: 'system',
        metadata,
      },
    ])
    return old.length
  })
}

/** Prunes once a day, first within an hour unless told otherwise. */
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
      await queries.vacuumQueue(db)
    } catch (err) {
      log.warn({ err }, 'audit events are not pruned')
    }
  }
  return repeat(prune, { firstMs, pauseMs: 24 * hourMs })
}
