import { sql } from 'kysely'
import type { Db, Trx } from '../database/schema.js'
import { type ParametersOf, prepare } from '../database/statements.js'
import { type Allowed, isLimitName, type LimitName } from '../limits.js'
import type { DefaultLimits } from './default-limits.js'

const selectOverrides = prepare(
  'select_organization_limits',
  (db, { organization_id }: ParametersOf<{ organization_id: string }>) =>
    db
      .selectFrom('organizations')
      .leftJoin('organization_limits', 'organization_id', 'organizations._id')
      .select(['organization_limits.name', 'allowed'])
      .select(sql<boolean>`verified_at is not null`.as('is_verified'))
      .where('organizations._id', '=', organization_id),
)

/** Returns all limits of an organization: those that an operator has set, else the defaults. */
export async function selectAllowed(
  db: Db,
  { verified, unverified }: DefaultLimits,
  organization_id: string,
): Promise<Allowed> {
  const rows = await selectOverrides(db, { organization_id })
  const allowed: Record<LimitName, number> = { ...(rows[0]?.is_verified ? verified : unverified) }
  for (const row of rows) {
    const { name, allowed: most } = row
    if (name !== null && isLimitName(name) && most !== null) allowed[name] = most
  }
  return allowed
}

export async function upsertLimit(
  trx: Trx,
  limit: { organization_id: string; name: LimitName; allowed: number },
): Promise<void> {
  await trx
    .insertInto('organization_limits')
    .values(limit)
    .onConflict((conflict) =>
      conflict
        .constraint('organization_limits_primary_key')
        .doUpdateSet((eb) => ({ allowed: eb.ref('excluded.allowed') })),
    )
    .execute()
}

export async function deleteLimit(
  trx: Trx,
  { organization_id, name }: { organization_id: string; name: LimitName },
): Promise<void> {
  await trx
    .deleteFrom('organization_limits')
    .where('organization_id', '=', organization_id)
    .where('name', '=', name)
    .execute()
}
