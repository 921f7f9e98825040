import { unavailable } from '../errors.js'
import { type Clock, steadyClock } from '../process/clock.js'
import { SlowKeys, type Slowness } from './slow-keys.js'
import { UsedTime } from './used-time.js'
import { Waiters } from './waiters.js'

/**
 * Of several keys that have used the same time, one is refused at random. That counts as this much used
 * time, so that it comes after the others if it retries at once.
 */
const refusalMs = 1

/** Ends a turn, so that another one can begin. */
export type EndTurn = () => void

interface Options {
  /** How many turns can be under way at the same time. */
  capacity: number
  /** How many of the last free turns go only to keys that have none. */
  spare?: number
  /** How many turns one key can never take, so that another key can begin at once. */
  reserve?: number
  /** When a key counts as slow. All slow keys share a part of the turns. */
  slowness?: Slowness
  /** How many requests may wait, of all keys together; no limit if left out. */
  longestQueue?: number
  /**
   * How long a request may wait; no limit if left out. Each request waits for a random time between half
   * of it and all of it, so that requests that came together do not all retry together.
   */
  patienceMs?: number
  clock?: Clock
}

/**
 * Shares a scarce resource fairly between keys: organizations, or addresses of unknown callers. A free
 * turn goes to the waiting key with the fewest turns under way; among several, to the key that has used
 * the least time. So a key with short turns waits for one long turn of another key, not for a long turn
 * before each of its own. A single key gets all turns except the reserve. Slow keys leave a part of the
 * turns to the others.
 */
export class Turns {
  readonly #options: Options
  readonly #maxOfOne: number
  readonly #taken = new Map<string, number>()
  readonly #waiters = new Waiters<EndTurn>()
  readonly #used = new UsedTime()
  readonly #clock: Clock
  readonly #slow: SlowKeys | null
  #free: number

  constructor(options: Options) {
    const { capacity, reserve = 0, slowness, clock = steadyClock } = options
    this.#options = options
    this.#free = capacity
    this.#maxOfOne = Math.max(1, capacity - reserve)
    this.#clock = clock
    this.#slow = slowness ? new SlowKeys(slowness) : null
  }

  /** How many turns are under way. */
  get taken(): number {
    return this.#options.capacity - this.#free
  }

  /** How many requests wait. */
  get queued(): number {
    return this.#waiters.size
  }

  /** Runs work in a turn of a key. */
  async run<T>(key: string, work: () => Promise<T> | T): Promise<T> {
    const end = await this.take(key)
    try {
      return await work()
    } finally {
      end()
    }
  }

  /**
   * Waits for a turn of a key. Throws 503 after `patienceMs`, if the signal aborts, or if too many
   * requests wait and this one would be the last of them.
   */
  take(key: string, signal?: AbortSignal): EndTurn | Promise<EndTurn> {
    this.#beginWaiting()
    // If a turn is still free now, no waiting key may take it.
    if (this.#free > 0 && this.#mayBegin(key, this.#maxOfOne)) return this.#begin(key)
    const isFull = this.queued >= (this.#options.longestQueue ?? Number.POSITIVE_INFINITY)
    if (isFull && !this.#makeRoomFor(key)) throw unavailable()
    return this.#wait(key, signal)
  }

  /** Makes one waiter give up. Returns false if it would be the new request, which then has to be refused. */
  #makeRoomFor(key: string): boolean {
    const last = this.#waiters.last(key, (other) => this.#used.of(other))
    const loser = last[Math.floor(Math.random() * last.length)]
    if (loser === undefined) return false
    if (last.length > 1) this.#used.end(loser, refusalMs)
    this.#waiters.oldest(loser)?.giveUp()
    return true
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
    const at = this.#clock()
    this.#used.begin(key)
    this.#slow?.begin(key, at)
    let hasEnded = false
    return () => {
      if (hasEnded) return
      hasEnded = true
      this.#end(key, at)
    }
  }

  #end(key: string, at: number): void {
    const now = this.#clock()
    this.#used.end(key, now - at)
    this.#slow?.end(key, at, now)
    const left = this.#takenBy(key) - 1
    if (left > 0) this.#taken.set(key, left)
    else this.#taken.delete(key)
    this.#free++
    this.#beginWaiting()
  }

  /** Starts waiting requests while turns are free. */
  #beginWaiting(): void {
    while (this.#free > 0 && this.#waiters.size > 0) {
      const next = this.#next()
      if (next === undefined) return
      this.#waiters.shift(next)?.begin(this.#begin(next))
    }
  }

  /** Returns the waiting key with the fewest turns; among several, the one that has used the least time. */
  #next(): string | undefined {
    let next: string | undefined
    let fewest = this.#maxOfOne
    let least = 0
    for (const key of this.#waiters.keys()) {
      const taken = this.#takenBy(key)
      const used = this.#used.of(key)
      const isBehind = taken > fewest || (taken === fewest && used >= least)
      if ((next !== undefined && isBehind) || !this.#mayBegin(key, this.#maxOfOne)) continue
      next = key
      fewest = taken
      least = used
    }
    return next
  }

  #mayBegin(key: string, max: number): boolean {
    const { spare = 0, slowness } = this.#options
    const taken = this.#takenBy(key)
    const isSpare = taken > 0 && this.#free <= spare && key !== slowness?.except
    return taken < max && !isSpare && (this.#slow?.mayBegin(key, this.#clock()) ?? true)
  }

  #takenBy(key: string): number {
    return this.#taken.get(key) ?? 0
  }
}
