import fastq from 'fastq'
import type { Kysely } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Database } from '../database/schema.js'
import { quotaExceeded } from '../errors.js'
import { countEventsToday } from './count-queries.js'
import { selectAllowed } from './limit-queries.js'
import { limits } from './limits.js'

const name = 'events_per_day'
/** So that a change by an operator takes effect within 5 s. */
const currentForMs = 2_500

interface Today {
  allowed: number
  /** How many events there were when it was read, and how many were asked for here since. */
  used: number
  since: number
  readAt: number
}

/**
 * The events of organizations since midnight UTC. No request that is let through waits for a query:
 * it is judged by what was last read, which is read anew beside it, at most every 2.5 s for an
 * organization, one after the other. Only who would be refused waits for the present number. So an
 * organization can pass its limit by what other processes record for it in 2.5 s. What the service
 * records by itself is counted and never refused.
 */
export class EventsToday {
  readonly #db: Kysely<Database>
  readonly #known = new LRUCache<string, Today>({ max: 10_000 })
  readonly #reading = new Map<string, Promise<Today>>()
  readonly #reads = fastq.promise((organization_id: string) => this.#readNow(organization_id), 1)

  constructor(db: Kysely<Database>) {
    this.#db = db
  }

  /** Counts events that a request is about to record, or throws 409. */
  async take(organization_id: string, adding: number): Promise<void> {
    let today = this.#known.get(organization_id) ?? this.#start(organization_id)
    if (!isCurrent(today)) {
      const reading = this.#read(organization_id)
      if (hasRoom(today, adding)) reading.catch(() => {})
      else today = await reading
    }
    if (!hasRoom(today, adding)) throw quotaExceeded(name, usedOf(today), today.allowed)
    today.since += adding
  }

  #start(organization_id: string): Today {
    const today = { allowed: limits[name].allowed, used: 0, since: 0, readAt: -Infinity }
    this.#known.set(organization_id, today)
    return today
  }

  /** Once for all who ask at the same time. */
  #read(organization_id: string): Promise<Today> {
    const known = this.#reading.get(organization_id)
    if (known) return known
    const reading = this.#reads
      .push(organization_id)
      .finally(() => this.#reading.delete(organization_id))
    this.#reading.set(organization_id, reading)
    return reading
  }

  async #readNow(organization_id: string): Promise<Today> {
    const allowed = (await selectAllowed(this.#db, organization_id))[name]
    const used = await countEventsToday(this.#db, organization_id)
    const today = { allowed, used, since: 0, readAt: performance.now() }
    this.#known.set(organization_id, today)
    return today
  }
}

const isCurrent = ({ readAt }: Today) => performance.now() - readAt < currentForMs
const usedOf = ({ used, since }: Today) => used + since
const hasRoom = (today: Today, adding: number) => usedOf(today) + adding <= today.allowed
