import { quotaExceeded } from '../../errors.js'
import type { LimitName } from '../../limits.js'

/** Counts what organizations and people have open in this process. Each process counts its own. */
export class Concurrency {
  readonly #open = new Map<string, number>()

  used(holder: string, name: LimitName): number {
    return this.#open.get(keyOf(holder, name)) ?? 0
  }

  /** Counts one more, or throws 409. Returns a function to release it; a second call has no effect. */
  take(holder: string, name: LimitName, allowed: number): () => void {
    const used = this.used(holder, name)
    if (used >= allowed) throw quotaExceeded(name, used, allowed)
    this.#add(holder, name, 1)
    let isTaken = true
    return () => {
      if (isTaken) this.#add(holder, name, -1)
      isTaken = false
    }
  }

  #add(holder: string, name: LimitName, difference: number): void {
    const used = this.used(holder, name) + difference
    // Zeros are not kept, so the map stays small.
    if (used > 0) this.#open.set(keyOf(holder, name), used)
    else this.#open.delete(keyOf(holder, name))
  }
}

const keyOf = (holder: string, name: LimitName) => `${holder} ${name}`
