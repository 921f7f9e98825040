import type { Db } from '../database/schema.js'
import { dayMs, minuteMs } from '../process/clock.js'
import { SingleFlight } from '../turns/single-flight.js'
import { CachedLimits } from './cached-limits.js'
import { Concurrency } from './counters/concurrency.js'
import { countEventsToday, countSessionBytes } from './counters/count-queries.js'
import { ParticipantRates } from './counters/participant-rates.js'
import { RecentUse } from './counters/recent-use.js'
import { selectUsed, type Used } from './current-usage.js'
import type { DefaultLimits } from './default-limits.js'

/** What this process counts and caches of the limits of organizations. */
export class ProcessUsage {
  readonly defaults: DefaultLimits
  readonly cachedLimits: CachedLimits
  readonly concurrency = new Concurrency()
  readonly messageRates = new ParticipantRates('participant_messages_per_minute', minuteMs)
  readonly participantEvents = new ParticipantRates('participant_events_per_day', dayMs)
  readonly eventsToday: RecentUse
  readonly sessionBytes: RecentUse
  readonly #counting = new SingleFlight<Used>()

  constructor(db: Db, defaults: DefaultLimits) {
    this.defaults = defaults
    this.cachedLimits = new CachedLimits(defaults)
    this.eventsToday = new RecentUse({ db, defaults }, 'events_per_day', countEventsToday)
    this.sessionBytes = new RecentUse({ db, defaults }, 'session_bytes', countSessionBytes)
  }

  /** Reads the limits of an organization anew. Call it when it has been verified. */
  forget(organization_id: string): void {
    for (const known of [this.cachedLimits, this.eventsToday, this.sessionBytes]) {
      known.forget(organization_id)
    }
  }

  /** Returns how much an organization uses. Calls at the same time share one count. */
  async used(db: Db, organization_id: string): Promise<Used> {
    const counting = this.#counting.run(organization_id, () => selectUsed(db, organization_id))
    const concurrency = (['streams', 'exports'] as const).map((name) => {
      return [name, this.concurrency.used(organization_id, name)] as const
    })
    return new Map([...(await counting), ...concurrency])
  }
}
