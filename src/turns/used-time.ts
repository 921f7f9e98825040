import { LRUCache } from 'lru-cache'
import { type Clock, steadyClock } from '../process/clock.js'

/**
 * Counts the time that the turns of each key took in all. A key that returns after a while starts with
 * the time of the last key that began: it comes next, but cannot save up time. This is start-time fair
 * queueing (Goyal, Vin and Cheng, 1996).
 */
export class UsedTime {
  readonly #clock: Clock
  /** A key that the cache has dropped counts as one that returns. */
  readonly #ms = new LRUCache<string, number>({ max: 1_000 })
  #least = 0

  constructor(clock: Clock = steadyClock) {
    this.#clock = clock
  }

  /** Returns the time of a key in milliseconds, to compare it with other keys. */
  of(key: string): number {
    return Math.max(this.#ms.peek(key) ?? 0, this.#least)
  }

  /** Notes that a turn begins. Returns a function that notes its end. */
  begin(key: string): () => void {
    const at = this.#clock()
    this.#least = this.of(key)
    return () => {
      this.#ms.set(key, this.of(key) + this.#clock() - at)
    }
  }
}
