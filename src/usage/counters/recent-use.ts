import fastq from 'fastq'
import { LRUCache } from 'lru-cache'
import type { Db } from '../../database/schema.js'
import { quotaExceeded } from '../../errors.js'
import type { LimitName } from '../../limits.js'
import { SingleFlight } from '../../turns/single-flight.js'
import type { DefaultLimits } from '../default-limits.js'
import { selectAllowed } from '../limit-queries.js'

/** Short, so that an operator's change takes effect within 5 s. */
const currentForMs = 2_500

/** How much of a limit a caller may use. */
type Share = (allowed: number) => number

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
  readonly #defaults: DefaultLimits
  readonly #name: LimitName
  readonly #count: (db: Db, organization_id: string) => Promise<number>
  readonly #known = new LRUCache<string, Use>({ max: 10_000 })
  readonly #reading = new SingleFlight<Use>()
  readonly #reads = fastq.promise((organization_id: string) => this.#readNow(organization_id), 1)

  constructor(
    { db, defaults }: { db: Db; defaults: DefaultLimits },
    name: LimitName,
    count: (db: Db, organization_id: string) => Promise<number>,
  ) {
    this.#db = db
    this.#defaults = defaults
    this.#name = name
    this.#count = count
  }

  /** Counts what a request is about to store, or throws 409. A caller may have only a share of the limit. */
  async take(organization_id: string, adding: number, share: Share = whole): Promise<void> {
    const isWithin = ({ used, since, allowed }: Use) => used + since + adding <= share(allowed)
    let recent = this.#known.get(organization_id) ?? this.#start(organization_id)
    if (!isCurrent(recent)) {
      const reading = this.#read(organization_id)
      if (isWithin(recent)) reading.catch(() => {})
      else recent = await reading
    }
    if (!isWithin(recent)) {
      throw quotaExceeded(this.#name, recent.used + recent.since, share(recent.allowed))
    }
    recent.since += adding
  }

  /** The next request that would be refused waits for a new count. */
  forget(organization_id: string): void {
    this.#known.delete(organization_id)
  }

  #start(organization_id: string): Use {
    const allowed = this.#defaults.unverified[this.#name]
    const recent = { allowed, used: 0, since: 0, readAt: -Infinity }
    this.#known.set(organization_id, recent)
    return recent
  }

  /** Calls at the same time share one query. */
  #read(organization_id: string): Promise<Use> {
    return this.#reading.run(organization_id, () => this.#reads.push(organization_id))
  }

  async #readNow(organization_id: string): Promise<Use> {
    const limits = await selectAllowed(this.#db, this.#defaults, organization_id)
    const allowed = limits[this.#name]
    const used = await this.#count(this.#db, organization_id)
    const recent = { allowed, used, since: 0, readAt: performance.now() }
    this.#known.set(organization_id, recent)
    return recent
  }
}

const isCurrent = ({ readAt }: Use) => performance.now() - readAt < currentForMs
const whole = (allowed: number) => allowed
