import type { Kysely } from 'kysely'
import type { Database } from '../database/schema.js'
import { Allowances } from './allowances.js'
import { AtOnce } from './at-once.js'
import { EventsToday } from './events-today.js'
import { MessageRates } from './message-rates.js'

/** What this process knows of the limits of organizations without asking for it at each request. */
export class Quotas {
  readonly allowances = new Allowances()
  readonly atOnce = new AtOnce()
  readonly messageRates = new MessageRates()
  readonly eventsToday: EventsToday

  constructor(db: Kysely<Database>) {
    this.eventsToday = new EventsToday(db)
  }
}
