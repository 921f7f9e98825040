import type { Insertable, Transaction } from 'kysely'
import { sql } from 'kysely'
import { channelTemplateColumns } from '../channel-templates/queries.js'
import { jsonb } from '../database/expressions.js'
import type { Database } from '../database/schema.js'
import { experimentColumns } from '../experiments/queries.js'
import { withWarnings } from '../experiments/warnings.js'
import { userColumns } from '../users/queries.js'

type Trx = Transaction<Database>

/** One setup per organization and scenario, as it was applied last. */
export function upsertSetup(trx: Trx, setup: Insertable<Database['blueprint_setups']>) {
  return trx
    .insertInto('blueprint_setups')
    .values(setup)
    .onConflict((conflict) =>
      conflict.constraint('blueprint_setups_scenario_unique').doUpdateSet((eb) => ({
        catalogue_version: eb.ref('excluded.catalogue_version'),
        models: eb.ref('excluded.models'),
        team_size: eb.ref('excluded.team_size'),
        overwrite_existing: eb.ref('excluded.overwrite_existing'),
        metadata: eb.ref('excluded.metadata'),
        applied_at: sql<string>`now()`,
        applied_by: eb.ref('excluded.applied_by'),
      })),
    )
    .returning(['_id', 'organization_id', 'applied_at', 'applied_by'])
    .executeTakeFirstOrThrow()
}

export async function selectDepartmentsForUpdate(
  trx: Trx,
  organization_id: string,
): Promise<string[]> {
  const { departments } = await trx
    .selectFrom('brandings')
    .select('departments')
    .where('organization_id', '=', organization_id)
    .forUpdate()
    .executeTakeFirstOrThrow()
  return departments
}

export async function updateDepartments(
  trx: Trx,
  organization_id: string,
  departments: string[],
): Promise<void> {
  await trx
    .updateTable('brandings')
    .set({ departments: jsonb(departments), updated_at: sql<string>`now()` })
    .where('organization_id', '=', organization_id)
    .execute()
}

/** What a setup made, as the contract shows it. */
export async function selectTemplatePayload(
  trx: Trx,
  { _id, organization_id }: { _id: string; organization_id: string },
) {
  const characters = await trx
    .selectFrom('users')
    .select(userColumns)
    .where('organization_id', '=', organization_id)
    .where('_id', 'in', (eb) =>
      eb
        .selectFrom('characters')
        .select('user_id')
        .where('organization_id', '=', organization_id)
        .where('setup_id', '=', _id),
    )
    .orderBy('_id')
    .execute()
  const channel_templates = await trx
    .selectFrom('channel_templates')
    .select(channelTemplateColumns)
    .where('organization_id', '=', organization_id)
    .where('setup_id', '=', _id)
    .orderBy('channel_name')
    .execute()
  const experiment = await trx
    .selectFrom('experiments')
    .select(experimentColumns)
    .where('organization_id', '=', organization_id)
    .where('setup_id', '=', _id)
    .executeTakeFirstOrThrow()
  return { characters, channel_templates, experiment: await withWarnings(trx, experiment) }
}
