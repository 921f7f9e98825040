export interface Slowness {
  /** A turn that takes longer makes its key slow. */
  ms: number
  /** How many turns all slow keys together have at the same time. */
  capacity: number
  /** A key that is never slow. */
  except?: string
}

/** A key stays slow for 20 times the length of its slow turn, at most five minutes. */
const slowFor = { times: 20, maxMs: 300_000 }

/**
 * Finds keys whose turns take long, now or recently. All slow keys together get only a part of the
 * turns; the rest is for quick keys.
 */
export class SlowKeys {
  readonly #options: Slowness
  /** When the current turns of each key began, the oldest first. */
  readonly #begun = new Map<string, number[]>()
  readonly #until = new Map<string, number>()

  constructor(options: Slowness) {
    this.#options = options
  }

  /** Whether a key may begin a turn now. A slow key may have to wait for other slow keys. */
  mayBegin(key: string, now: number): boolean {
    return !this.#isSlow(key, now) || this.#taken(now) < this.#options.capacity
  }

  /** Notes that a turn begins. */
  begin(key: string, now: number): void {
    const begun = this.#begun.get(key)
    if (begun) begun.push(now)
    else this.#begun.set(key, [now])
  }

  /** Notes that a turn has ended that began at `at`. */
  end(key: string, at: number, now: number): void {
    const begun = this.#begun.get(key) ?? []
    begun.splice(begun.indexOf(at), 1)
    if (begun.length === 0) this.#begun.delete(key)
    if (now - at > this.#options.ms) this.#keep(key, now, now - at)
  }

  #keep(key: string, now: number, took: number): void {
    // Drop keys that are no longer slow.
    for (const [other, until] of this.#until) if (until <= now) this.#until.delete(other)
    const until = now + Math.min(took * slowFor.times, slowFor.maxMs)
    this.#until.set(key, Math.max(until, this.#until.get(key) ?? 0))
  }

  #isSlow(key: string, now: number): boolean {
    const { ms, except } = this.#options
    if (key === except) return false
    const [oldest = now] = this.#begun.get(key) ?? []
    return now - oldest > ms || (this.#until.get(key) ?? now) > now
  }

  /** How many turns slow keys have now. */
  #taken(now: number): number {
    let taken = 0
    for (const [key, begun] of this.#begun) if (this.#isSlow(key, now)) taken += begun.length
    return taken
  }
}
