import type { Transaction, Updateable } from 'kysely'
import { sql } from 'kysely'
import { timestamp } from '../database/expressions.js'
import type { Database } from '../database/schema.js'

type Trx = Transaction<Database>

/** The contract's Branding. */
const brandingColumns = [
  'organization_id',
  'company_name',
  'logo_url',
  'primary_color',
  'sidebar_color',
  'departments',
  'welcome_message',
  timestamp('updated_at').as('updated_at'),
] as const

export function selectBrandingForUpdate(trx: Trx, organization_id: string) {
  return trx
    .selectFrom('brandings')
    .select(brandingColumns)
    .where('organization_id', '=', organization_id)
    .forUpdate()
    .executeTakeFirstOrThrow()
}

export function updateBranding(
  trx: Trx,
  organization_id: string,
  values: Updateable<Database['brandings']>,
) {
  return trx
    .updateTable('brandings')
    .set({ ...values, updated_at: sql<string>`now()` })
    .where('organization_id', '=', organization_id)
    .returning(brandingColumns)
    .executeTakeFirstOrThrow()
}
