import { isDeepStrictEqual } from 'node:util'
import type { Schema } from '../../contract.js'
import { type Link, linkTo } from '../chain/chain.js'
import { eventColumns } from '../queries.js'
import type { selectSealed } from './verify-queries.js'

type Sealed = Awaited<ReturnType<typeof selectSealed>>[number]
export type Fault = Schema<'AuditFault'> & { reason: Schema<'KnownAuditFault'> }

/** The link of a checkpoint that the trail must lead to. */
export interface Goal {
  sequence: number
  hash: string
}

/** One walk along the chain, up to its first fault. */
export class Walk {
  link: Link
  sealedUntil: string | null = null
  fault: Fault | null = null
  readonly #goal: Goal | null

  constructor(start: Link, goal: Goal | null) {
    this.link = start
    this.#goal = goal
    this.#compareWithGoal()
  }

  /** Goes on to the next seal. Null means that the seal is missing. */
  take(sealed: Sealed | null): void {
    if (sealed === null) {
      this.fault = { sequence: this.link.sequence + 1, event_id: null, reason: 'seal_deleted' }
      return
    }
    const { sequence, event_id, document } = sealed
    const link = linkTo(this.link, document ?? '')
    const reason = reasonToStop(sealed, link)
    if (reason === null) {
      this.link = link
      this.sealedUntil = sealed.created_at
      this.#compareWithGoal()
    } else {
      const isNext = sequence === link.sequence
      this.fault = { sequence: link.sequence, event_id: isNext ? event_id : null, reason }
    }
  }

  /** The fault at the end of the walk: the trail does not reach the goal. */
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

/** What is wrong with a seal or its event. `link` is the expected link. */
function reasonToStop(sealed: Sealed, link: Link): Fault['reason'] | null {
  if (sealed.sequence !== link.sequence) return 'seal_deleted'
  if (sealed.document === null) return 'event_deleted'
  if (!link.hash.equals(sealed.hash)) return 'document_changed'
  return columnsAgree(sealed, sealed.document) ? null : 'columns_disagree'
}

/** Whether the columns agree with the document. The hash has already proved the document. */
function columnsAgree(sealed: Sealed, document: string): boolean {
  const event: Record<string, unknown> = JSON.parse(document)
  return eventColumns.every((column) => {
    const [stored, recorded] = [withoutMark(sealed[column]), withoutMark(event[column])]
    return stored === recorded || isDeepStrictEqual(stored, recorded)
  })
}

/** Removes a byte order mark: the embedded database drops it from the start of a text that it reads. */
const withoutMark = (value: unknown) =>
  typeof value === 'string' ? value.replace(/^\ufeff/, '') : value
