import type { Kysely } from 'kysely'
import type { Database } from '../database/schema.js'
import { quotaExceeded } from '../errors.js'
import { type Counted, countRows, countTemplates, type TemplateCount } from './count-queries.js'
import { selectAllowed } from './limit-queries.js'
import { type LimitName, limits } from './limits.js'

/**
 * Throws 409 if the addition would pass the limit of the organization. It runs one statement over an
 * index, in the transaction that inserts the rows. Requests that run at the same moment do not see
 * each other, so an organization can pass a limit by as much as its parallel requests make. These are
 * at most as many as there are connections.
 */
export async function requireRoom(
  db: Kysely<Database>,
  organization_id: string,
  name: Counted,
  adding = 1,
): Promise<void> {
  if (adding <= 0) return
  const { used, override } = await countRows(db, organization_id, name)
  refuseBeyond(name, used, adding, override ?? limits[name].allowed)
}

/** The same of something that the caller has counted already. */
export async function requireWithin(
  db: Kysely<Database>,
  organization_id: string,
  name: LimitName,
  { used, adding }: { used: number; adding: number },
): Promise<void> {
  if (adding <= 0) return
  const allowed = await selectAllowed(db, organization_id)
  refuseBeyond(name, used, adding, allowed[name])
}

export function refuseBeyond(name: LimitName, used: number, adding: number, allowed: number): void {
  if (used + adding > allowed) throw quotaExceeded(name, used, allowed)
}

/**
 * Runs what writes channel templates of some scenarios, and throws 409, so that the transaction is
 * undone, where an organization then has more than it may. What makes them fewer or shorter is let
 * through also above a limit.
 */
export async function withinTemplateLimits<T>(
  db: Kysely<Database>,
  organization_id: string,
  scenario_names: string[],
  write: () => Promise<T>,
): Promise<T> {
  const allowed = await selectAllowed(db, organization_id)
  const count = () => countTemplates(db, organization_id, [...new Set(scenario_names)])
  const before = new Map(usesOf(await count()).map(({ key, used }) => [key, used]))
  const answer = await write()
  for (const { key, name, used: after } of usesOf(await count())) {
    const used = before.get(key) ?? 0
    if (after > used) refuseBeyond(name, used, after - used, allowed[name])
  }
  return answer
}

/** What templates use of each limit, in all and of each scenario that was counted by itself. */
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
