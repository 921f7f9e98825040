import type { Kysely } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Database } from '../database/schema.js'
import { selectAllowed } from './limit-queries.js'
import type { Allowed } from './limits.js'

/** A change by an operator takes effect in every process within 5 s. */
const rememberedForMs = 4_500

/** How much organizations may use, remembered for a moment for what is asked at every request. */
export class Allowances {
  readonly #known = new LRUCache<string, Allowed>({ max: 10_000, ttl: rememberedForMs })

  /** Reads through the connection of the caller, who may have the only one. */
  of(db: Kysely<Database>, organization_id: string): Promise<Allowed> | Allowed {
    return this.#known.get(organization_id) ?? this.#read(db, organization_id)
  }

  async #read(db: Kysely<Database>, organization_id: string): Promise<Allowed> {
    const start = performance.now()
    const allowed = await selectAllowed(db, organization_id)
    this.#known.set(organization_id, allowed, { start })
    return allowed
  }
}
