import type { Insertable } from 'kysely'
import { jsonColumns } from '../database/expressions.js'
import { prepareList } from '../database/lists/lists.js'
import type { Database, Trx } from '../database/schema.js'
import type { ParametersOf } from '../database/statements.js'
import type { AccessTransaction } from '../identity/access-changes.js'

interface BotKey {
  organization_id: string
  user_id: string
}

/** The contract's ApiKey. */
const apiKeyColumns = [
  '_id',
  'organization_id',
  'user_id',
  'name',
  'created_by',
  'created_at',
  'expires_at',
  'last_used_at',
] as const

export const selectApiKeys = prepareList(
  'select_api_keys',
  (db, { organization_id, user_id }: ParametersOf<BotKey>) =>
    db
      .selectFrom('api_keys')
      .select(jsonColumns('api_keys', apiKeyColumns))
      .where('organization_id', '=', organization_id)
      .where('user_id', '=', user_id)
      .orderBy('_id'),
)

export function insertApiKey(trx: Trx, apiKey: Insertable<Database['api_keys']>) {
  return trx
    .insertInto('api_keys')
    .values(apiKey)
    .returning(apiKeyColumns)
    .executeTakeFirstOrThrow()
}

/** Deletes the keys of all bots of an organization. Returns each with its bot. */
export async function deleteAllApiKeys(trx: AccessTransaction, organization_id: string) {
  const deleted = await trx
    .deleteFrom('api_keys')
    .where('organization_id', '=', organization_id)
    .returning(['_id as api_key_id', 'user_id'])
    .execute()
  for (const { user_id } of deleted) trx.changed.add(user_id)
  return deleted
}

/** Deletes a key. Returns whether it existed. */
export async function deleteApiKey(
  trx: AccessTransaction,
  { organization_id, user_id }: BotKey,
  api_key_id: string,
): Promise<boolean> {
  trx.changed.add(user_id)
  const { numDeletedRows } = await trx
    .deleteFrom('api_keys')
    .where('organization_id', '=', organization_id)
    .where('user_id', '=', user_id)
    .where('_id', '=', api_key_id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
