import type { Db, Trx } from '../database/schema.js'
import { type ParametersOf, prepare } from '../database/statements.js'
import { type Allowed, isLimitName, type LimitName, limitNames, limits } from './limits.js'

const selectOverrides = prepare(
  'select_organization_limits',
  (db, { organization_id }: ParametersOf<{ organization_id: string }>) =>
    db
      .selectFrom('organization_limits')
      .select(['name', 'allowed'])
      .where('organization_id', '=', organization_id),
)

/** Returns all limits of an organization: those that an operator has set, else the defaults. */
export async function selectAllowed(db: Db, organization_id: string): Promise<Allowed> {
  const rows = await selectOverrides(db, { organization_id })
  const overrides = new Map(rows.map(({ name, allowed }) => [name, allowed]))
  const entries = limitNames.map((name) => [name, overrides.get(name) ?? limits[name].allowed])
  return Object.fromEntries(entries) as Allowed
}

/** Returns the limits that an operator has set, and locks their rows. */
export async function selectOverridesForUpdate(
  trx: Trx,
  organization_id: string,
): Promise<Map<LimitName, number>> {
  const rows = await trx
    .selectFrom('organization_limits')
    .select(['name', 'allowed'])
    .where('organization_id', '=', organization_id)
    .forUpdate()
    .execute()
  return new Map(rows.flatMap(({ name, allowed }) => (isLimitName(name) ? [[name, allowed]] : [])))
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
