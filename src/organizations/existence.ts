import type { Kysely } from 'kysely'
import type { Database } from '../database/schema.js'
import { isId } from '../identifiers.js'

export async function organizationExists(
  db: Kysely<Database>,
  organization_id: string,
): Promise<boolean> {
  if (!isId(organization_id)) return false
  const row = await db
    .selectFrom('organizations')
    .select('_id')
    .where('_id', '=', organization_id)
    .executeTakeFirst()
  return row !== undefined
}
