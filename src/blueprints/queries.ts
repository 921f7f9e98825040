import type { Insertable, Transaction } from 'kysely'
import { sql } from 'kysely'
import { channelTemplateColumns } from '../channel-templates/queries.js'
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
        applied_at: eb.ref('excluded.applied_at'),
        applied_by: eb.ref('excluded.applied_by'),
      })),
    )
    .returning(['_id', 'organization_id', 'applied_at', 'applied_by'])
    .executeTakeFirstOrThrow()
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

export function selectCharacters(trx: Trx, organization_id: string, setup_id: string) {
  return trx
    .selectFrom('characters')
    .select(['user_id as _id', 'character_key as name', 'setup_id'])
    .where('organization_id', '=', organization_id)
    .where('setup_id', '=', setup_id)
    .execute()
}

/** Those of the usernames that somebody has who is no character of this scenario. */
export async function selectTakenUsernames(
  trx: Trx,
  organization_id: string,
  scenario_type: string,
  usernames: string[],
): Promise<string[]> {
  const rows = await trx
    .selectFrom('users')
    .leftJoin('characters', (join) =>
      join
        .onRef('characters.organization_id', '=', 'users.organization_id')
        .onRef('characters.user_id', '=', 'users._id'),
    )
    .leftJoin('blueprint_setups', (join) =>
      join
        .onRef('blueprint_setups.organization_id', '=', 'characters.organization_id')
        .onRef('blueprint_setups._id', '=', 'characters.setup_id'),
    )
    .select('username')
    .where('users.organization_id', '=', organization_id)
    .where('username', 'in', usernames)
    .where(sql<boolean>`scenario_type is distinct from ${scenario_type}`)
    .execute()
  return rows.map(({ username }) => username)
}

export async function insertCharacters(trx: Trx, characters: Insertable<Database['characters']>[]) {
  if (characters.length > 0) await trx.insertInto('characters').values(characters).execute()
}
