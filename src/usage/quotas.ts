import type { Kysely } from 'kysely'
import type { Database } from '../database/schema.js'
import { Allowances } from './allowances.js'
import { AtOnce } from './at-once.js'
import { EventsToday } from './events-today.js'
import { MessageRates } from './message-rates.js'
import { selectUsed, type Used } from './used.js'

/** What this process knows of the limits of organizations without asking for it at each request. */
export class Quotas {
  readonly allowances = new Allowances()
  readonly atOnce = new AtOnce()
  readonly messageRates = new MessageRates()
  readonly eventsToday: EventsToday
  readonly #counting = new Map<string, Promise<Used>>()

  constructor(db: Kysely<Database>) {
    this.eventsToday = new EventsToday(db)
  }

  /** How much an organization uses, counted once for all who ask at the same time. */
  async used(db: Kysely<Database>, organization_id: string): Promise<Used> {
    const counting = this.#counting.get(organization_id) ?? this.#count(db, organization_id)
    const atOnce = (['streams', 'exports'] as const).map((name) => {
      return [name, this.atOnce.used(organization_id, name)] as const
    })
    return new Map([...(await counting), ...atOnce])
  }

  #count(db: Kysely<Database>, organization_id: string): Promise<Used> {
    const counting = selectUsed(db, organization_id).finally(() =>
      this.#counting.delete(organization_id),
    )
    this.#counting.set(organization_id, counting)
    return counting
  }
}
