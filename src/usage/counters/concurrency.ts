import { quotaExceeded } from '../../errors.js'
import type { LimitName } from '../limits.js'

/** Counts what organizations have open in this process. Each process counts its own. */
export class Concurrency {
  readonly #open = new Map<string, number>()

  used(organization_id: string, name: LimitName): number {
    return this.#open.get(keyOf(organization_id, name)) ?? 0
  }

  /** Counts one more, or throws 409. Returns a function to release it; a second call has no effect. */
  take(organization_id: string, name: LimitName, allowed: number): () => void {
    const used = this.used(organization_id, name)
    if (used >= allowed) throw quotaExceeded(name, used, allowed)
    this.#add(organization_id, name, 1)
    let isTaken = true
    return () => {
      if (isTaken) this.#add(organization_id, name, -1)
      isTaken = false
    }
  }

  #add(organization_id: string, name: LimitName, difference: number): void {
    const used = this.used(organization_id, name) + difference
    // Zeros are not kept, so the map stays small.
    if (used > 0) this.#open.set(keyOf(organization_id, name), used)
    else this.#open.delete(keyOf(organization_id, name))
  }
}

const keyOf = (organization_id: string, name: LimitName) => `${organization_id} ${name}`
