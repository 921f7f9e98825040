import type { Kysely } from 'kysely'
import type { Database } from '../database/schema.js'
import {
  countEventsToday,
  countedNames,
  countFullestScenario,
  countRows,
  countTemplates,
} from './count-queries.js'
import { countLetters } from './letters-today.js'
import type { LimitName } from './limits.js'

/** How much is used of each limit that has a number. */
export type Used = ReadonlyMap<LimitName, number>

/**
 * How much an organization uses of what is stored; of a limit of one scenario, how much the fullest
 * one does. Limits of one session or participant have no number: there are too many of them.
 */
export async function selectUsed(db: Kysely<Database>, organization_id: string): Promise<Used> {
  const used = new Map<LimitName, number>()
  for (const name of countedNames) {
    used.set(name, (await countRows(db, organization_id, name)).used)
  }
  const [templates] = await countTemplates(db, organization_id, [])
  used.set('template_bytes', templates?.bytes ?? 0)
  const fullest = await countFullestScenario(db, organization_id)
  used.set('scenario_templates', fullest.templates)
  used.set('scenario_template_bytes', fullest.bytes)
  used.set('events_per_day', await countEventsToday(db, organization_id))
  used.set('letters_per_day', await countLetters(db, organization_id))
  return used
}
