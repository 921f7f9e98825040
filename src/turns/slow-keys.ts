import { type Clock, steadyClock } from '../clock.js'

export interface Slowness {
  /** A turn that takes longer makes its key slow. */
  ms: number
  /** How many turns slow keys have at the same time, all of them together. */
  most: number
  /** A key that is never slow. */
  except?: string
}

/** A key stays slow for 20 times as long as its slow turn took, at most five minutes. */
const after = { times: 20, mostMs: 300_000 }

/**
 * Keys whose turns take long, now or lately. All of them together get only a part of the turns. The
 * rest is for quick keys.
 */
export class SlowKeys {
  readonly #options: Slowness
  readonly #clock: Clock
  /** When the turns under way began, by key, the oldest first. */
  readonly #begun = new Map<string, number[]>()
  readonly #until = new Map<string, number>()

  constructor(options: Slowness, clock: Clock = steadyClock) {
    this.#options = options
    this.#clock = clock
  }

  /** Whether a key may begin a turn now. One that is slow waits for another slow one to end. */
  mayBegin(key: string): boolean {
    const now = this.#clock()
    return !this.#isSlow(key, now) || this.#taken(now) < this.#options.most
  }

  /** Notes that a turn begins. Returns a function that notes its end. */
  begin(key: string): () => void {
    const at = this.#clock()
    const begun = this.#begun.get(key) ?? []
    begun.push(at)
    this.#begun.set(key, begun)
    return () => {
      begun.splice(begun.indexOf(at), 1)
      if (begun.length === 0) this.#begun.delete(key)
      const now = this.#clock()
      if (now - at > this.#options.ms) this.#keep(key, now, now - at)
    }
  }

  #keep(key: string, now: number, took: number): void {
    // Those that are slow no more are forgotten.
    for (const [other, until] of this.#until) if (until <= now) this.#until.delete(other)
    const until = now + Math.min(took * after.times, after.mostMs)
    this.#until.set(key, Math.max(until, this.#until.get(key) ?? 0))
  }

  #isSlow(key: string, now: number): boolean {
    const { ms, except } = this.#options
    if (key === except) return false
    const [oldest = now] = this.#begun.get(key) ?? []
    return now - oldest > ms || (this.#until.get(key) ?? now) > now
  }

  /** How many turns slow keys have. */
  #taken(now: number): number {
    let taken = 0
    for (const [key, begun] of this.#begun) if (this.#isSlow(key, now)) taken += begun.length
    return taken
  }
}
