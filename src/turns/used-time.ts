import { LRUCache } from 'lru-cache'

/**
 * Counts the time that the turns of each key took in all. A key that returns after a while starts with
 * the time of the last key that began: it comes next, but cannot save up time. This is start-time fair
 * queueing (Goyal, Vin and Cheng, 1996).
 */
export class UsedTime {
  /** A key that the cache has dropped counts as one that returns. */
  readonly #ms = new LRUCache<string, number>({ max: 1_000 })
  #least = 0

  /** Returns the time of a key in milliseconds, to compare it with other keys. */
  of(key: string): number {
    return Math.max(this.#ms.peek(key) ?? 0, this.#least)
  }

  /** Notes that a turn begins. */
  begin(key: string): void {
    this.#least = this.of(key)
  }

  /** Notes that a turn has ended, and how many milliseconds it took. */
  end(key: string, ms: number): void {
    this.#ms.set(key, this.of(key) + ms)
  }
}
