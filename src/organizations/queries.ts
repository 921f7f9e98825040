import type { Kysely, Transaction, Updateable } from 'kysely'
import { sql } from 'kysely'
import type { Database } from '../database/schema.js'
import { brandingColumns } from './organization.js'

type Trx = Transaction<Database>

export function selectBranding(db: Kysely<Database>, organization_id: string) {
  return db
    .selectFrom('brandings')
    .select(brandingColumns)
    .where('organization_id', '=', organization_id)
    .executeTakeFirstOrThrow()
}

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

export async function selectNameForUpdate(trx: Trx, organization_id: string): Promise<string> {
  const { name } = await trx
    .selectFrom('organizations')
    .select('name')
    .where('_id', '=', organization_id)
    .forUpdate()
    .executeTakeFirstOrThrow()
  return name
}

export async function updateName(trx: Trx, organization_id: string, name: string): Promise<void> {
  await trx
    .updateTable('organizations')
    .set({ name, updated_at: sql<string>`now()` })
    .where('_id', '=', organization_id)
    .execute()
}
