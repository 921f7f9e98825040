import type { Kysely } from 'kysely'
import type { Schema } from '../contract.js'
import type { FetchInTurn } from '../database/long-lists.js'
import type { Database } from '../database/schema.js'
import { type Pause, withoutPause } from '../turns/slices.js'
import { type Link, linkText } from './chain.js'
import { beginningOfTrail, endOfTrail } from './chain-queries.js'
import { readParts } from './parts.js'
import * as queries from './verify-queries.js'
import { type Fault, type Goal, Walk } from './walk.js'

type Db = Kysely<Database>
export type Verification = Schema<'AuditVerification'>

/** A checkpoint lies before what retention has kept, so that nothing follows from it any more. */
export class CheckpointTooOld extends Error {
  constructor() {
    super('The checkpoint is older than what retention has kept.')
  }
}

export interface Trail {
  db: Db
  organization_id: string
  /** Lets short requests get by. */
  fetchInTurn?: FetchInTurn
  pause?: Pause
}

/**
 * Reads the whole trail of an organization and says where it is first broken. It takes neither a
 * transaction nor a lock: what is sealed does not change, and only retention removes it. Throws
 * CheckpointTooOld.
 */
export async function verifyTrail(trail: Trail, goal: Goal | null = null): Promise<Verification> {
  const { db, organization_id, pause = withoutPause } = trail
  const start = await beginningOfTrail(db, organization_id)
  if (goal && goal.sequence < start.sequence) throw new CheckpointTooOld()
  const walk = new Walk(start, goal)
  for await (const { range, rows } of readTrail(trail, start)) {
    for (const sealed of rows) {
      if (walk.fault) break
      walk.take(sealed)
      await pause()
    }
    if (walk.fault) break
    if (rows.length < range.to - range.after) walk.take(null)
  }
  const first_fault = walk.fault ?? walk.end() ?? (await findOutside(db, organization_id, start))
  // Retention may have moved on meanwhile, which from here looks as if seals were gone.
  const { sequence } = await beginningOfTrail(db, organization_id)
  if (sequence !== start.sequence) return verifyTrail(trail, goal)
  return {
    valid: first_fault === null,
    events: walk.link.sequence - start.sequence,
    ...linkText(walk.link),
    sealed_until: walk.sealedUntil,
    first_fault,
  }
}

const atOnce: FetchInTurn = (fetch) => fetch()

/** All seals with their events, part after part. */
async function* readTrail({ db, organization_id, fetchInTurn = atOnce }: Trail, start: Link) {
  const { sequence: to } = await endOfTrail(db, organization_id)
  const whole = { organization_id, after: start.sequence, to }
  yield* readParts(whole, queries.window, (range) =>
    fetchInTurn(() => queries.selectSealed(db, range)),
  )
}

/** What is wrong beside a chain that is sound. */
async function findOutside(db: Db, organization_id: string, start: Link): Promise<Fault | null> {
  const { sequence, hash } = linkText(start)
  if (sequence > 0) {
    const to = { sequence, hash }
    const isRecorded = await queries.isPruningRecorded(db, organization_id, to)
    if (!isRecorded) return { sequence, event_id: null, reason: 'seal_deleted' }
  }
  const lost = await queries.selectLost(db, organization_id)
  if (lost) return { sequence: null, event_id: lost, reason: 'event_deleted' }
  const stranger = await queries.selectStranger(db, organization_id, sequence)
  return stranger ? { sequence: null, event_id: stranger, reason: 'event_inserted' } : null
}
