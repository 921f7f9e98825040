import type { Kysely, Transaction } from 'kysely'
import type { Database } from '../database/schema.js'
import { type ParametersOf, prepare } from '../database/statements.js'
import { type Allowed, isLimitName, type LimitName, limitNames, limits } from './limits.js'

type Trx = Transaction<Database>

const selectOverrides = prepare(
  'select_organization_limits',
  (db, { organization_id }: ParametersOf<{ organization_id: string }>) =>
    db
      .selectFrom('organization_limits')
      .select(['name', 'allowed'])
      .where('organization_id', '=', organization_id),
)

/** How much an organization may use of everything: what an operator said, else the default. */
export async function selectAllowed(
  db: Kysely<Database>,
  organization_id: string,
): Promise<Allowed> {
  const rows = await selectOverrides(db, { organization_id })
  const overrides = new Map(rows.map(({ name, allowed }) => [name, allowed]))
  const entries = limitNames.map((name) => [name, overrides.get(name) ?? limits[name].allowed])
  return Object.fromEntries(entries) as Allowed
}

/** Those limits of an organization that an operator has set, locked until the transaction ends. */
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
