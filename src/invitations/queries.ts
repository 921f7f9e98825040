import type { Kysely } from 'kysely'
import type { Database } from '../database/schema.js'

export async function selectOrganizationName(
  db: Kysely<Database>,
  organization_id: string,
): Promise<string> {
  const { name } = await db
    .selectFrom('organizations')
    .select('name')
    .where('_id', '=', organization_id)
    .executeTakeFirstOrThrow()
  return name
}
