import type { Kysely } from 'kysely'
import type { Schema } from '../contract.js'
import type { Database } from '../database/schema.js'

/** The contract's Branding. */
export const brandingColumns = [
  'organization_id',
  'company_name',
  'logo_url',
  'primary_color',
  'sidebar_color',
  'departments',
  'welcome_message',
  'updated_at',
] as const

/** The contract's Organization. */
export async function selectOrganization(
  db: Kysely<Database>,
  organization_id: string,
): Promise<Schema<'Organization'>> {
  const [organization, branding] = await Promise.all([
    db
      .selectFrom('organizations')
      .select(['_id', 'name'])
      .select(['created_at', 'updated_at'])
      .where('_id', '=', organization_id)
      .executeTakeFirstOrThrow(),
    db
      .selectFrom('brandings')
      .select(brandingColumns)
      .where('organization_id', '=', organization_id)
      .executeTakeFirstOrThrow(),
  ])
  return { ...organization, branding }
}
