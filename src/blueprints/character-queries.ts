import type { Insertable, Transaction } from 'kysely'
import { sql } from 'kysely'
import type { Database } from '../database/schema.js'

type Trx = Transaction<Database>

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
