import { LRUCache } from 'lru-cache'
import type { Db } from '../database/schema.js'
import type { Allowed } from '../limits.js'
import type { DefaultLimits } from './default-limits.js'
import { selectAllowed } from './limit-queries.js'

/** Shorter than 5 s, within which an operator's change takes effect in every process. */
const cachedForMs = 4_500

/** Caches how much organizations may use, because many requests need it. */
export class CachedLimits {
  readonly #defaults: DefaultLimits
  readonly #cached = new LRUCache<string, Allowed>({ max: 10_000, ttl: cachedForMs })

  constructor(defaults: DefaultLimits) {
    this.#defaults = defaults
  }

  /** Reads with the caller's connection, which may be the only one. */
  of(db: Db, organization_id: string): Promise<Allowed> | Allowed {
    return this.#cached.get(organization_id) ?? this.#read(db, organization_id)
  }

  forget(organization_id: string): void {
    this.#cached.delete(organization_id)
  }

  async #read(db: Db, organization_id: string): Promise<Allowed> {
    const start = performance.now()
    const allowed = await selectAllowed(db, this.#defaults, organization_id)
    this.#cached.set(organization_id, allowed, { start })
    return allowed
  }
}
