import { reachedAt } from '../../../simulation-sessions/clock/clock.js'
import type { ExpectationRow } from './expectation-queries.js'

/** The part of an open or lapsed expectation that streams send. */
export interface FollowedExpectation {
  message_id: string
  status: 'open' | 'lapsed'
  due_at: string | null
}

/** The open and lapsed ones among the last expectations of a session. */
export class Expectations {
  /** The number of the last change. */
  #last = 0
  #known = new Map<string, FollowedExpectation & { changed: number }>()
  /** How often something may have changed, and how much of that has been read. */
  #wanted = 1
  #read = 0
  /** When the next one lapses, in milliseconds. */
  #nextDue = Number.POSITIVE_INFINITY

  get last(): number {
    return this.#last
  }

  /** How many are open. */
  get open(): number {
    return [...this.#known.values()].filter(({ status }) => status === 'open').length
  }

  /** Whether something may have changed since they were read. */
  get isStale(): boolean {
    return this.#read < this.#wanted
  }

  /** Pass it to `merge`: a change while they are read makes them stale again. */
  get wanted(): number {
    return this.#wanted
  }

  /** Makes the next refresh read them again. */
  expire(): void {
    this.#wanted++
  }

  /** Whether one of them has lapsed by a time. */
  isDue(now: number): boolean {
    return this.#nextDue <= now
  }

  /**
   * Merges the unanswered expectations as of one moment. `wanted` is from before they were read. Leaves out those
   * of messages after `head`, which readers do not know yet.
   */
  merge(rows: readonly ExpectationRow[], { wanted, head }: { wanted: number; head: number }): void {
    const isFirst = this.#read === 0
    const changed = this.#last + 1
    const before = this.#known
    this.#known = new Map()
    for (const row of rows) {
      if (row.message_id === null || row.seq > head) continue
      const { message_id, is_open } = row
      const status = is_open ? 'open' : 'lapsed'
      const due_at = dueAtOf(row, row.due_offset_ms)
      const known = before.get(message_id)
      const isSame = known?.status === status && (known.due_at === due_at || !is_open)
      // Those that had lapsed before the session was opened are no news.
      const isOld = isFirst && !is_open
      const news = { message_id, status, due_at, changed: isOld ? 0 : changed } as const
      this.#known.set(message_id, isSame ? known : news)
      if (!isSame && !isOld) this.#last = changed
    }
    if (isFirst) this.#last = changed
    this.#read = wanted
    this.#nextDue = Math.min(...[...this.#known.values()].map(dueMs))
  }

  /** Returns the expectations that changed after a change; for 0 all that are open. */
  after(number: number): FollowedExpectation[] {
    if (number >= this.#last) return []
    return [...this.#known.values()].filter(
      ({ changed, status }) => changed > number && (number > 0 || status === 'open'),
    )
  }
}

/** When the clock of a session reaches a deadline if it runs on; null while it stands still. */
const dueAtOf = ({ status, anchor_at, speed }: ExpectationRow, offset_ms: number) =>
  status === 'running' && anchor_at !== null ? reachedAt(anchor_at, offset_ms, speed) : null

const dueMs = ({ status, due_at }: FollowedExpectation) =>
  status === 'open' && due_at !== null ? Date.parse(due_at) : Number.POSITIVE_INFINITY
