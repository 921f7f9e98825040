import type { Insertable, Selectable } from 'kysely'
import { sql } from 'kysely'
import { jsonb } from '../database/expressions.js'
import type { Database, Db, Trx } from '../database/schema.js'

/** The latest setup of a scenario, null if there is none, and the database's clock. */
export async function selectSetup(db: Db, organization_id: string, scenario_type: string) {
  const { now, ...setup } = await db
    .selectFrom('organizations')
    .leftJoin('blueprint_setups', (join) =>
      join
        .onRef('blueprint_setups.organization_id', '=', 'organizations._id')
        .on('blueprint_setups.scenario_type', '=', scenario_type),
    )
    .selectAll('blueprint_setups')
    .select(sql<string>`clock_timestamp()::timestamptz(3)`.as('now'))
    .where('organizations._id', '=', organization_id)
    .executeTakeFirstOrThrow()
  // Without a setup the outer join fills all its columns with null.
  const exists = setup._id !== null
  return { now, setup: exists ? (setup as Selectable<Database['blueprint_setups']>) : null }
}

/** The models of a scenario's latest setup, null if there is none. */
export async function selectSetupMade(db: Db, organization_id: string, scenario_type: string) {
  const setup = await db
    .selectFrom('blueprint_setups')
    .select(['models', 'catalogue_version'])
    .where('organization_id', '=', organization_id)
    .where('scenario_type', '=', scenario_type)
    .executeTakeFirst()
  return setup ?? null
}

export async function upsertSetup(trx: Trx, setup: Selectable<Database['blueprint_setups']>) {
  const { models, metadata, ...columns } = setup
  await trx
    .insertInto('blueprint_setups')
    .values({ ...columns, models: jsonb(models), metadata: jsonb(metadata) })
    .onConflict((conflict) =>
      conflict.constraint('blueprint_setups_primary_key').doUpdateSet((eb) => ({
        catalogue_version: eb.ref('excluded.catalogue_version'),
        models: eb.ref('excluded.models'),
        team_size: eb.ref('excluded.team_size'),
        overwrite_existing: eb.ref('excluded.overwrite_existing'),
        metadata: eb.ref('excluded.metadata'),
        applied_at: eb.ref('excluded.applied_at'),
        applied_by: eb.ref('excluded.applied_by'),
      })),
    )
    .execute()
}

export async function deleteSetup(trx: Trx, organization_id: string, _id: string): Promise<void> {
  await trx
    .deleteFrom('blueprint_setups')
    .where('organization_id', '=', organization_id)
    .where('_id', '=', _id)
    .execute()
}

/** The cast of a setup: users with their character's key, sorted by `_id`. */
export function selectCharacters(
  db: Db,
  organization_id: string,
  setup_id: string,
  { lock }: { lock?: 'update' | undefined },
) {
  return db
    .selectFrom('characters')
    .innerJoin('users', (join) =>
      join
        .onRef('users.organization_id', '=', 'characters.organization_id')
        .onRef('users._id', '=', 'characters.user_id'),
    )
    .selectAll('users')
    .select(['setup_id', 'character_key'])
    .where('characters.organization_id', '=', organization_id)
    .where('setup_id', '=', setup_id)
    .orderBy('users._id')
    .$if(lock === 'update', (query) => query.forUpdate('users'))
    .execute()
}

/** When each user got their newest API key. Users without a key are left out. */
export async function selectKeyTimes(
  db: Db,
  organization_id: string,
  user_ids: string[],
): Promise<Map<string, string>> {
  if (user_ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('api_keys')
    .select(['user_id', (eb) => eb.fn.max('created_at').as('created_at')])
    .where('organization_id', '=', organization_id)
    .where('user_id', 'in', user_ids)
    .groupBy('user_id')
    .execute()
  return new Map(rows.map(({ user_id, created_at }) => [user_id, created_at]))
}

/** The usernames among these that users other than this scenario's characters have. */
export async function selectTakenUsernames(
  db: Db,
  organization_id: string,
  scenario_type: string,
  usernames: string[],
): Promise<string[]> {
  const rows = await db
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

/** The users who have these usernames. */
export async function selectHolders(db: Db, organization_id: string, usernames: string[]) {
  if (usernames.length === 0) return []
  return db
    .selectFrom('users')
    .select(['_id', 'username as name'])
    .where('organization_id', '=', organization_id)
    .where('username', 'in', usernames)
    .execute()
}

export async function insertCharacters(trx: Trx, characters: Insertable<Database['characters']>[]) {
  if (characters.length > 0) await trx.insertInto('characters').values(characters).execute()
}
