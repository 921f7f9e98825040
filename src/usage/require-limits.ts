import type { Db } from '../database/schema.js'
import { quotaExceeded } from '../errors.js'
import type { Caller } from '../identity/authenticator.js'
import type { LimitName } from '../limits.js'
import {
  type Counted,
  countRows,
  countTemplates,
  type TemplateCount,
} from './counters/count-queries.js'
import type { DefaultLimits } from './default-limits.js'
import { selectAllowed } from './limit-queries.js'
import { allowedTo } from './reserve.js'

/**
 * Throws 409 if the addition would exceed the limit of the organization. Runs one statement over an
 * index, in the transaction that inserts the rows. Parallel requests do not see each other, so together
 * they can exceed a limit. There are at most as many of them as connections.
 */
export async function requireWithinLimit(
  db: Db,
  defaults: DefaultLimits,
  organization_id: string,
  name: Counted,
  adding = 1,
): Promise<void> {
  if (adding <= 0) return
  const { used, override } = await countRows(db, organization_id, name)
  refuseBeyond(name, used, adding, override ?? defaults.verified[name])
}

/** Like requireWithinLimit, for a count that is known. With a caller, for what they may use of it. */
export async function requireCountWithinLimit(
  db: Db,
  defaults: DefaultLimits,
  organization_id: string,
  name: LimitName,
  { used, adding, caller }: { used: number; adding: number; caller?: Caller },
): Promise<void> {
  if (adding <= 0) return
  const allowed = await selectAllowed(db, defaults, organization_id)
  refuseBeyond(name, used, adding, caller ? allowedTo(caller, allowed[name]) : allowed[name])
}

export function refuseBeyond(name: LimitName, used: number, adding: number, allowed: number): void {
  if (used + adding > allowed) throw quotaExceeded(name, used, allowed)
}

/**
 * Runs a function that writes channel templates of some scenarios. Throws 409, which rolls the
 * transaction back, if it makes the organization exceed a limit. A change that makes templates fewer or
 * shorter is allowed even above a limit.
 */
export async function withinTemplateLimits<T>(
  db: Db,
  defaults: DefaultLimits,
  organization_id: string,
  scenario_names: string[],
  write: () => Promise<T>,
): Promise<T> {
  const allowed = await selectAllowed(db, defaults, organization_id)
  const count = () => countTemplates(db, organization_id, [...new Set(scenario_names)])
  const before = new Map(usesOf(await count()).map(({ key, used }) => [key, used]))
  const answer = await write()
  for (const { key, name, used: after } of usesOf(await count())) {
    const used = before.get(key) ?? 0
    if (after > used) refuseBeyond(name, used, after - used, allowed[name])
  }
  return answer
}

/** Returns how much templates use of each limit, in all and for each counted scenario. */
function usesOf(counts: TemplateCount[]): { key: string; name: LimitName; used: number }[] {
  const sum = (field: 'templates' | 'bytes') => counts.reduce((all, one) => all + one[field], 0)
  const ofScenarios = counts.flatMap(({ scenario_name, templates, bytes }) =>
    scenario_name === null
      ? []
      : [
          { key: `t ${scenario_name}`, name: 'scenario_templates' as const, used: templates },
          { key: `b ${scenario_name}`, name: 'scenario_template_bytes' as const, used: bytes },
        ],
  )
  return [
    { key: 't', name: 'templates', used: sum('templates') },
    { key: 'b', name: 'template_bytes', used: sum('bytes') },
    ...ofScenarios,
  ]
}
