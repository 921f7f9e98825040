import fastq from 'fastq'
import { LRUCache } from 'lru-cache'
import type { Db } from '../../database/schema.js'
import { quotaExceeded } from '../../errors.js'
import { SingleFlight } from '../../turns/single-flight.js'
import { selectAllowed } from '../limit-queries.js'
import { limits } from '../limits.js'
import { countEventsToday } from './count-queries.js'

const name = 'events_per_day'
/** Short, so that an operator's change takes effect within 5 s. */
const currentForMs = 2_500

interface EventCount {
  allowed: number
  /** How many events there were when it was read, and how many this process has counted since. */
  used: number
  since: number
  readAt: number
}

/**
 * Counts the events of organizations since midnight UTC. A request that is allowed waits for no query:
 * it is checked against the last count. Counts are refreshed in the background, one organization at a
 * time, each at most every 2.5 s. Only a request that would be refused waits for a new count. So an
 * organization can exceed its limit by what other processes record in 2.5 s. Events that the service
 * itself records are counted but never refused.
 */
export class EventsToday {
  readonly #db: Db
  readonly #known = new LRUCache<string, EventCount>({ max: 10_000 })
  readonly #reading = new SingleFlight<EventCount>()
  readonly #reads = fastq.promise((organization_id: string) => this.#readNow(organization_id), 1)

  constructor(db: Db) {
    this.#db = db
  }

  /** Counts events that a request is about to record, or throws 409. */
  async take(organization_id: string, adding: number): Promise<void> {
    let today = this.#known.get(organization_id) ?? this.#start(organization_id)
    if (!isCurrent(today)) {
      const reading = this.#read(organization_id)
      if (isWithinLimit(today, adding)) reading.catch(() => {})
      else today = await reading
    }
    if (!isWithinLimit(today, adding)) throw quotaExceeded(name, usedOf(today), today.allowed)
    today.since += adding
  }

  #start(organization_id: string): EventCount {
    const today = { allowed: limits[name].allowed, used: 0, since: 0, readAt: -Infinity }
    this.#known.set(organization_id, today)
    return today
  }

  /** Calls at the same time share one query. */
  #read(organization_id: string): Promise<EventCount> {
    return this.#reading.run(organization_id, () => this.#reads.push(organization_id))
  }

  async #readNow(organization_id: string): Promise<EventCount> {
    const allowed = (await selectAllowed(this.#db, organization_id))[name]
    const used = await countEventsToday(this.#db, organization_id)
    const today = { allowed, used, since: 0, readAt: performance.now() }
    this.#known.set(organization_id, today)
    return today
  }
}

const isCurrent = ({ readAt }: EventCount) => performance.now() - readAt < currentForMs
const usedOf = ({ used, since }: EventCount) => used + since
const isWithinLimit = (today: EventCount, adding: number) => usedOf(today) + adding <= today.allowed
