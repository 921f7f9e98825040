import { LRUCache } from 'lru-cache'
import { type Clock, steadyClock } from '../clock.js'

/**
 * How long the turns of each key took in all. A key that was away begins with what the last one to
 * begin had, so that it comes next but saves nothing up: start-time fair queueing (Goyal, Vin and
 * Cheng, 1996).
 */
export class UsedTime {
  readonly #clock: Clock
  /** A key that is forgotten counts as one that was away. */
  readonly #ms = new LRUCache<string, number>({ max: 1_000 })
  #least = 0

  constructor(clock: Clock = steadyClock) {
    this.#clock = clock
  }

  /** In milliseconds, to be compared with those of others. */
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
