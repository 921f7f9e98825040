import { recordAuditEvents } from '../audit-events/record.js'
import type { Db } from '../database/schema.js'
import { createId } from '../formats/identifiers.js'
import { isLimitName, type LimitName } from '../limits.js'
import { lockOrganization } from '../organizations/queries.js'
import type { DefaultLimits } from './default-limits.js'
import { deleteLimit, selectAllowed, upsertLimit } from './limit-queries.js'

/** The new limits: a number, or null for the default. */
export type LimitChanges = ReadonlyMap<LimitName, number | null>

/** Reads `templates=20000` and `templates=default`. Throws one error with all faults. */
export function readLimitChanges(texts: string[]): LimitChanges {
  const changes = new Map<LimitName, number | null>()
  const faults: string[] = []
  for (const text of texts) {
    const [name = '', value = ''] = text.split(/=(.*)/s)
    const isNumber = /^\d{1,15}$/.test(value)
    if (!isLimitName(name)) faults.push(`${name}: is not a limit`)
    else if (!isNumber && value !== 'default') {
      faults.push(`${name}: must be a whole number of at most 15 digits, or default`)
    } else if (changes.has(name)) faults.push(`${name}: is given twice`)
    else changes.set(name, isNumber ? Number(value) : null)
  }
  if (faults.length > 0) throw new Error(faults.join('\n  '))
  return changes
}

/** Changes limits of an organization, and records the old and new values. Only for operators. */
export async function changeLimits(
  db: Db,
  defaults: DefaultLimits,
  organization_id: string,
  wanted: LimitChanges,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    // Lock the organization, because a limit may have no row yet.
    await lockOrganization(trx, organization_id)
    const before = await selectAllowed(trx, defaults, organization_id)
    for (const [name, allowed] of wanted) {
      if (allowed === null) await deleteLimit(trx, { organization_id, name })
      else await upsertLimit(trx, { organization_id, name, allowed })
    }
    const after = await selectAllowed(trx, defaults, organization_id)
    const changed = [...wanted.keys()].filter((name) => before[name] !== after[name])
    if (changed.length === 0) return
    const changes = changed.map((name) => [name, { from: before[name], to: after[name] }])
    const event = { organization_id, category: 'organization', event_type: 'limits_changed' }
    await recordAuditEvents(trx, { id: createId(), caller: null }, [
      { ...event, actor_type: 'system', changes: Object.fromEntries(changes) },
    ])
  })
}
