import fastq from 'fastq'
import { LRUCache } from 'lru-cache'
import type { Db } from '../../database/schema.js'
import { quotaExceeded } from '../../errors.js'
import { SingleFlight } from '../../turns/single-flight.js'
import { selectAllowed } from '../limit-queries.js'
import { type LimitName, limits } from '../limits.js'

/** Short, so that an operator's change takes effect within 5 s. */
const currentForMs = 2_500

interface Use {
  allowed: number
  /** How much was used when it was counted, and how much this process has added since. */
  used: number
  since: number
  readAt: number
}

/**
 * Knows how much organizations have used of a limit a moment ago. A request that is allowed waits for no
 * query: it is checked against the last count. Counts are refreshed in the background, one organization
 * at a time, each at most every 2.5 s. Only a request that would be refused waits for a new count. So an
 * organization can exceed its limit by what other processes store in 2.5 s. What the service itself
 * stores is counted but never refused.
 */
export class RecentUse {
  readonly #db: Db
  readonly #name: LimitName
  readonly #count: (db: Db, organization_id: string) => Promise<number>
  readonly #known = new LRUCache<string, Use>({ max: 10_000 })
  readonly #reading = new SingleFlight<Use>()
  readonly #reads = fastq.promise((organization_id: string) => this.#readNow(organization_id), 1)

  constructor(
    db: Db,
    name: LimitName,
    count: (db: Db, organization_id: string) => Promise<number>,
  ) {
    this.#db = db
    this.#name = name
    this.#count = count
  }

  /** Counts what a request is about to store, or throws 409. */
  async take(organization_id: string, adding: number): Promise<void> {
    let recent = this.#known.get(organization_id) ?? this.#start(organization_id)
    if (!isCurrent(recent)) {
      const reading = this.#read(organization_id)
      if (isWithinLimit(recent, adding)) reading.catch(() => {})
      else recent = await reading
    }
    if (!isWithinLimit(recent, adding)) {
      throw quotaExceeded(this.#name, usedOf(recent), recent.allowed)
    }
    recent.since += adding
  }

  #start(organization_id: string): Use {
    const recent = { allowed: limits[this.#name].allowed, used: 0, since: 0, readAt: -Infinity }
    this.#known.set(organization_id, recent)
    return recent
  }

  /** Calls at the same time share one query. */
  #read(organization_id: string): Promise<Use> {
    return this.#reading.run(organization_id, () => this.#reads.push(organization_id))
  }

  async #readNow(organization_id: string): Promise<Use> {
    const allowed = (await selectAllowed(this.#db, organization_id))[this.#name]
    const used = await this.#count(this.#db, organization_id)
    const recent = { allowed, used, since: 0, readAt: performance.now() }
    this.#known.set(organization_id, recent)
    return recent
  }
}

const isCurrent = ({ readAt }: Use) => performance.now() - readAt < currentForMs
const usedOf = ({ used, since }: Use) => used + since
const isWithinLimit = (recent: Use, adding: number) => usedOf(recent) + adding <= recent.allowed
