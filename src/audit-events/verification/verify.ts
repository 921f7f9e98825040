import type { Schema } from '../../contract.js'
import type { FetchInTurn } from '../../database/lists/long-lists.js'
import type { Db } from '../../database/schema.js'
import { type Pause, withoutPause } from '../../turns/slices.js'
import { type Link, linkText } from '../chain/chain.js'
import { beginningOfTrail, endOfTrail } from '../chain/chain-queries.js'
import { readParts } from '../chain/trail-parts.js'
import * as queries from './verify-queries.js'
import { type Fault, type Goal, Walk } from './walk.js'

export type Verification = Schema<'AuditVerification'>

/** The checkpoint is older than the events that retention has kept, so it proves nothing any more. */
export class CheckpointTooOld extends Error {
  constructor() {
    super('The checkpoint is older than the events that retention has kept.')
  }
}

export interface VerifiedTrail {
  db: Db
  organization_id: string
  /** Lets short requests run in between. */
  fetchInTurn?: FetchInTurn
  pause?: Pause
}

/**
 * Reads the whole trail of an organization and returns its first fault. It needs neither a transaction
 * nor a lock: sealed events do not change, and only retention removes them. Throws CheckpointTooOld.
 */
export async function verifyTrail(
  trail: VerifiedTrail,
  goal: Goal | null = null,
): Promise<Verification> {
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
  // If retention ran in the meantime, seals seem to be missing. Starts again then.
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

const immediately: FetchInTurn = (fetch) => fetch()

/** All seals with their events, part by part. */
async function* readTrail(
  { db, organization_id, fetchInTurn = immediately }: VerifiedTrail,
  start: Link,
) {
  const { sequence: to } = await endOfTrail(db, organization_id)
  const whole = { organization_id, after: start.sequence, to }
  yield* readParts(whole, queries.partLength, (range) =>
    fetchInTurn(() => queries.selectSealed(db, range)),
  )
}

/** A fault that the chain itself does not show. */
async function findOutside(db: Db, organization_id: string, start: Link): Promise<Fault | null> {
  const { sequence, hash } = linkText(start)
  if (sequence > 0) {
    const to = { sequence, hash }
    const isRecorded = await queries.isPruningRecorded(db, organization_id, to)
    if (!isRecorded) return { sequence, event_id: null, reason: 'seal_deleted' }
  }
  const lost = await queries.selectLost(db, organization_id)
  if (lost) return { sequence: null, event_id: lost, reason: 'event_deleted' }
  const inserted = await queries.selectInserted(db, organization_id, sequence)
  return inserted ? { sequence: null, event_id: inserted, reason: 'event_inserted' } : null
}
