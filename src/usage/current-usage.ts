import type { Db } from '../database/schema.js'
import type { LimitName } from '../limits.js'
import {
  countEventsToday,
  countedNames,
  countFullestScenario,
  countRows,
  countSessionBytes,
  countSetupBytes,
  countTemplates,
} from './counters/count-queries.js'
import { countLetters } from './letters-today.js'

/** How much is used, by limit. Some limits have no number. */
export type Used = ReadonlyMap<LimitName, number>

/**
 * Returns how much an organization stores, by limit. Limits of one scenario have the number of the
 * fullest scenario. Limits of one session or participant have no number: there are too many of them.
 */
export async function selectUsed(db: Db, organization_id: string): Promise<Used> {
  const used = new Map<LimitName, number>()
  for (const name of countedNames) {
    used.set(name, (await countRows(db, organization_id, name)).used)
  }
  const [templates] = await countTemplates(db, organization_id, [])
  used.set('template_bytes', templates?.bytes ?? 0)
  const fullest = await countFullestScenario(db, organization_id)
  used.set('scenario_templates', fullest.templates)
  used.set('scenario_template_bytes', fullest.bytes)
  used.set('quick_setup_bytes', await countSetupBytes(db, organization_id))
  used.set('session_bytes', await countSessionBytes(db, organization_id))
  used.set('events_per_day', await countEventsToday(db, organization_id))
  used.set('letters_per_day', await countLetters(db, organization_id))
  return used
}
