import type { Clock } from '../clock.js'
import { unavailable } from '../errors.js'
import { SlowKeys, type Slowness } from './slow-keys.js'
import { UsedTime } from './used-time.js'
import { Waiters } from './waiters.js'

/** Ends a turn, so that another one can begin. */
export type EndTurn = () => void

interface Options {
  /** How many turns there are at the same time. */
  capacity: number
  /** How many of the last free turns go only to keys that have none. */
  spare?: number
  /** How many of them one key never takes, so that the first turn of another key begins at once. */
  reserve?: number
  /** When a key is slow, so that it shares a part of the turns with all that are. */
  slowness?: Slowness
  /** How many wait at most, of all keys together; without it, all who ask. */
  longestQueue?: number
  /**
   * How long one waits at most; without it, until its turn comes. Each waits for a random time between
   * half of it and all of it, so that requests which came together do not all come back together.
   */
  patienceMs?: number
  clock?: Clock
}

/**
 * Shares what there is little of between keys: organizations, or addresses of strangers. A free turn
 * goes to the waiting key with the fewest turns under way. If several have as few, it goes to the one
 * that has used the least time. So a key with short turns waits for one long turn of another key, not
 * for a long turn before each of its own. A key alone gets all but the reserve. Keys that take long
 * leave a part to the others.
 */
export class Turns {
  readonly #options: Options
  readonly #mostOfOne: number
  readonly #taken = new Map<string, number>()
  readonly #waiters = new Waiters<EndTurn>()
  readonly #used: UsedTime
  readonly #slow: SlowKeys | null
  #free: number

  constructor(options: Options) {
    const { capacity, reserve = 0, slowness, clock } = options
    this.#options = options
    this.#free = capacity
    this.#mostOfOne = Math.max(1, capacity - reserve)
    this.#used = new UsedTime(clock)
    this.#slow = slowness ? new SlowKeys(slowness, clock) : null
  }

  /** How many turns are under way. */
  get taken(): number {
    return this.#options.capacity - this.#free
  }

  /** How many wait. */
  get queued(): number {
    return this.#waiters.size
  }

  /** Does some work in a turn of a key. */
  async run<T>(key: string, work: () => Promise<T> | T): Promise<T> {
    const end = await this.take(key)
    try {
      return await work()
    } finally {
      end()
    }
  }

  /**
   * Waits for a turn of a key. Throws 503 after too long, when the signal comes first, and when too
   * many wait: then the key with the most waiters loses one. If no key has more waiters than this one
   * would have, the new one is refused.
   */
  take(key: string, signal?: AbortSignal): EndTurn | Promise<EndTurn> {
    this.#beginWaiting()
    // If a turn is free now, no key that waits may take one.
    if (this.#free > 0 && this.#mayBegin(key, this.#mostOfOne)) return this.#begin(key)
    const isFull = this.queued >= (this.#options.longestQueue ?? Number.POSITIVE_INFINITY)
    if (isFull && !this.#waiters.makeRoomFor(key)) throw unavailable()
    return this.#wait(key, signal)
  }

  #wait(key: string, signal: AbortSignal | undefined): Promise<EndTurn> {
    const { patienceMs } = this.#options
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined
      const waiter = {
        begin: (end: EndTurn) => {
          clearTimeout(timer)
          signal?.removeEventListener('abort', waiter.giveUp)
          resolve(end)
        },
        giveUp: () => {
          clearTimeout(timer)
          this.#waiters.remove(key, waiter)
          reject(unavailable())
        },
      }
      if (patienceMs !== undefined) {
        timer = setTimeout(waiter.giveUp, patienceMs * (1 - Math.random() / 2))
      }
      this.#waiters.add(key, waiter)
      signal?.addEventListener('abort', waiter.giveUp, { once: true })
    })
  }

  #begin(key: string): EndTurn {
    this.#free--
    this.#taken.set(key, this.#takenBy(key) + 1)
    const endUse = this.#used.begin(key)
    const endSlow = this.#slow?.begin(key)
    let hasEnded = false
    return () => {
      if (hasEnded) return
      hasEnded = true
      endUse()
      endSlow?.()
      this.#end(key)
    }
  }

  #end(key: string): void {
    const left = this.#takenBy(key) - 1
    if (left > 0) this.#taken.set(key, left)
    else this.#taken.delete(key)
    this.#free++
    this.#beginWaiting()
  }

  /** Gives free turns to waiting keys. A key that was slow before may begin again. */
  #beginWaiting(): void {
    while (this.#free > 0 && this.#waiters.size > 0) {
      const next = this.#next()
      if (next === undefined) return
      this.#waiters.shift(next)?.begin(this.#begin(next))
    }
  }

  /** The key with the fewest turns; among several, the one that has had the least time. */
  #next(): string | undefined {
    let next: string | undefined
    let fewest = this.#mostOfOne
    let least = 0
    for (const key of this.#waiters.keys()) {
      const taken = this.#takenBy(key)
      const used = this.#used.of(key)
      const isBehind = taken > fewest || (taken === fewest && used >= least)
      if ((next !== undefined && isBehind) || !this.#mayBegin(key, this.#mostOfOne)) continue
      next = key
      fewest = taken
      least = used
    }
    return next
  }

  #mayBegin(key: string, most: number): boolean {
    const { spare = 0, slowness } = this.#options
    const taken = this.#takenBy(key)
    const isSpare = taken > 0 && this.#free <= spare && key !== slowness?.except
    return taken < most && !isSpare && (this.#slow?.mayBegin(key) ?? true)
  }

  #takenBy(key: string): number {
    return this.#taken.get(key) ?? 0
  }
}
