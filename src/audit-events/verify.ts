import { isDeepStrictEqual } from 'node:util'
import type { Kysely } from 'kysely'
import type { Schema } from '../contract.js'
import type { FetchInTurn } from '../database/long-lists.js'
import type { Database } from '../database/schema.js'
import { beginning, type Link, linkTo } from './chain.js'
import { endOfTrail } from './seal.js'
import {
  columns,
  isPruningRecorded,
  selectBeginning,
  selectSealed,
  selectStranger,
  window,
} from './verify-queries.js'

type Db = Kysely<Database>
type Sealed = Awaited<ReturnType<typeof selectSealed>>[number]
type Fault = Schema<'AuditFault'> & { reason: Schema<'KnownAuditFault'> }
export type Verification = Schema<'AuditVerification'>

/** The part of a checkpoint that the trail must lead to. */
export interface Goal {
  sequence: number
  hash: string
}

export interface Trail {
  db: Db
  organization_id: string
  /** Lets short requests get by. */
  fetchInTurn?: FetchInTurn
}

/**
 * Reads the whole trail of an organization and says where it is first broken. It takes neither a
 * transaction nor a lock: what is sealed does not change, and only retention removes it.
 */
export async function verifyTrail(trail: Trail, goal: Goal | null = null): Promise<Verification> {
  const { db, organization_id } = trail
  const start = await beginningOfTrail(db, organization_id)
  const walk = new Walk(start, goal)
  for await (const sealed of readTrail(trail, start)) {
    if (walk.fault) break
    walk.take(sealed)
  }
  // Retention may have moved on meanwhile, which from here looks as if seals were gone.
  const isPruned = (await beginningOfTrail(db, organization_id)).sequence !== start.sequence
  if (walk.fault && isPruned) return verifyTrail(trail, goal)
  const first_fault = walk.fault ?? walk.end() ?? (await findOutside(db, organization_id, start))
  return {
    valid: first_fault === null,
    events: walk.link.sequence - start.sequence,
    sequence: walk.link.sequence,
    hash: walk.link.hash.toString('hex'),
    sealed_until: walk.sealedUntil,
    first_fault,
  }
}

export async function beginningOfTrail(db: Db, organization_id: string): Promise<Link> {
  const [left] = await selectBeginning(db, { organization_id })
  return left?.hash ? { sequence: left.sequence, hash: Buffer.from(left.hash) } : beginning
}

const atOnce: FetchInTurn = (fetch) => fetch()

/** All seals with their events, the next ones being on their way while some are looked at. */
async function* readTrail({ db, organization_id, fetchInTurn = atOnce }: Trail, start: Link) {
  const end = await endOfTrail(db, organization_id)
  const read = (after: number) => {
    const part = { organization_id, after, to: after + window }
    return after < end.sequence ? fetchInTurn(() => selectSealed(db, part)) : null
  }
  let next = read(start.sequence)
  for (let after = start.sequence; next; after += window) {
    const part = await next
    next = read(after + window)
    // Whoever stops looking does not wait for it, and must not hear of its failure either.
    next?.catch(() => {})
    yield* part
  }
}

/** One walk along the chain, up to its first fault. */
class Walk {
  link: Link
  sealedUntil: string | null = null
  fault: Fault | null = null
  readonly #goal: Goal | null

  constructor(start: Link, goal: Goal | null) {
    this.link = start
    this.#goal = goal
    if (goal && goal.sequence < start.sequence) {
      this.fault = { sequence: start.sequence, event_id: null, reason: 'trail_cut_off' }
    }
    this.#compareWithGoal()
  }

  take(sealed: Sealed): void {
    const { sequence, event_id, document } = sealed
    const link = linkTo(this.link, document ?? '')
    const reason = reasonToStop(sealed, link)
    if (reason === null) {
      this.link = link
      this.sealedUntil = sealed.created_at
      this.#compareWithGoal()
    } else {
      const isThere = sequence === link.sequence
      this.fault = { sequence: link.sequence, event_id: isThere ? event_id : null, reason }
    }
  }

  /** What is wrong with where the walk has ended. */
  end(): Fault | null {
    const { sequence } = this.link
    if (!this.#goal || sequence >= this.#goal.sequence) return null
    return { sequence: sequence + 1, event_id: null, reason: 'trail_cut_off' }
  }

  #compareWithGoal(): void {
    const { sequence, hash } = this.link
    if (this.#goal?.sequence !== sequence || this.#goal.hash === hash.toString('hex')) return
    this.fault = { sequence: Math.max(sequence, 1), event_id: null, reason: 'trail_rewritten' }
  }
}

/** What is wrong with a seal or its event; `link` is what it comes to in this place. */
function reasonToStop(sealed: Sealed, link: Link): Fault['reason'] | null {
  if (sealed.sequence !== link.sequence) return 'seal_deleted'
  if (sealed.document === null) return 'event_deleted'
  if (!link.hash.equals(sealed.hash)) return 'document_changed'
  return agrees(sealed, sealed.document) ? null : 'columns_disagree'
}

/** Whether the columns say what the document says, which is authentic by now. */
function agrees(sealed: Sealed, document: string): boolean {
  const event: Record<string, unknown> = JSON.parse(document)
  return columns.every((column) => {
    const value = sealed[column]
    return value === event[column] || isDeepStrictEqual(value, event[column])
  })
}

/** What is wrong beside a chain that is sound. */
async function findOutside(db: Db, organization_id: string, start: Link): Promise<Fault | null> {
  const { sequence, hash } = start
  if (sequence > 0) {
    const to = { sequence, hash: hash.toString('hex') }
    const isRecorded = await isPruningRecorded(db, organization_id, to)
    if (!isRecorded) return { sequence, event_id: null, reason: 'seal_deleted' }
  }
  const event_id = await selectStranger(db, organization_id)
  return event_id === null ? null : { sequence: null, event_id, reason: 'event_inserted' }
}
