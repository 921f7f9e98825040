import type { Kysely } from 'kysely'
import type { Database } from '../../src/database/schema.js'
import { isLimitName } from '../../src/limits.js'
import { readConfig } from '../../src/process/config.js'
import { changeLimits } from '../../src/usage/change-limits.js'
import { defaultLimits } from '../../src/usage/default-limits.js'

const defaults = defaultLimits(readConfig({}))

/** Sets limits of an organization as an operator does. Null restores the default. */
export async function setLimits(
  db: Kysely<Database>,
  organization_id: string,
  wanted: Record<string, number | null>,
): Promise<void> {
  const changes = Object.entries(wanted).flatMap(([name, allowed]) =>
    isLimitName(name) ? [[name, allowed] as const] : [],
  )
  await changeLimits(db, defaults, organization_id, new Map(changes))
}
