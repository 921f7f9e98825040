import { LRUCache } from 'lru-cache'
import { quotaExceeded } from '../../errors.js'
import type { LimitName } from '../../limits.js'

/** Counts what users and seats do in a period. Each process counts its own. */
export class ParticipantRates {
  readonly #name: LimitName
  readonly #periods: LRUCache<string, { used: number }>

  constructor(name: LimitName, periodMs: number) {
    this.#name = name
    this.#periods = new LRUCache({ max: 50_000, ttl: periodMs })
  }

  /** Counts one more, or throws 409. */
  take(key: string, allowed: number): void {
    const period = this.#periods.get(key) ?? { used: 0 }
    const { used } = period
    if (used >= allowed) throw quotaExceeded(this.#name, used, allowed)
    period.used++
    // The period begins with the first one.
    if (used === 0) this.#periods.set(key, period)
  }
}
