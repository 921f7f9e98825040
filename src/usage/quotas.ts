import type { Db } from '../database/schema.js'
import { SingleFlight } from '../turns/single-flight.js'
import { Allowances } from './allowances.js'
import { Concurrency } from './concurrency.js'
import { EventsToday } from './events-today.js'
import { MessageRates } from './message-rates.js'
import { selectUsed, type Used } from './used.js'

/** What this process counts and caches of the limits of organizations. */
export class Quotas {
  readonly allowances = new Allowances()
  readonly concurrency = new Concurrency()
  readonly messageRates = new MessageRates()
  readonly eventsToday: EventsToday
  readonly #counting = new SingleFlight<Used>()

  constructor(db: Db) {
    this.eventsToday = new EventsToday(db)
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
