import type { Kysely, Transaction } from 'kysely'
import { sql } from 'kysely'
import { type AuditEventRow, insertChangeEvent } from '../audit-events/record.js'
import type { Schema } from '../contract.js'
import { prepare } from '../database/prepared.js'
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

type BrandingFields = Partial<Omit<Schema<'Branding'>, 'organization_id' | 'updated_at'>>

const changeBranding = prepare(
  'update_branding',
  (
    _db,
    { organization_id, fields, event }: { organization_id: string; fields: string; event: string },
  ) =>
    sql<Schema<'Branding'>>`
      with before as (
        select * from brandings where organization_id = ${organization_id} for update
      ), after as (
        update brandings
        set company_name = wanted.company_name, logo_url = wanted.logo_url,
          primary_color = wanted.primary_color, sidebar_color = wanted.sidebar_color,
          departments = wanted.departments, welcome_message = wanted.welcome_message,
          updated_at = now()
        from before, jsonb_populate_record(null::brandings, to_jsonb(before) || ${fields}::jsonb) as wanted
        where brandings.organization_id = ${organization_id}
          and to_jsonb(before) || ${fields}::jsonb is distinct from to_jsonb(before)
        returning brandings.*
      ), recorded as (${insertChangeEvent(event)})
      select ${sql.join(brandingColumns.map((column) => sql.ref(column)))}
      from (select * from after union all select * from before where not exists (select from after))
        as branding`,
)

/** Changes the fields given, and writes the event with what changed, in one round trip. */
export async function updateBranding(
  db: Kysely<Database>,
  organization_id: string,
  fields: BrandingFields,
  event: AuditEventRow,
): Promise<Schema<'Branding'>> {
  const [branding] = await changeBranding(db, {
    organization_id,
    fields: JSON.stringify(fields),
    event: JSON.stringify(event),
  })
  if (!branding) throw new Error(`Organization ${organization_id} has no branding`)
  return branding
}

export async function selectNameForUpdate(trx: Trx, organization_id: string): Promise<string> {
  const { name } = await trx
    .selectFrom('organizations')
    .select('name')
    .where('_id', '=', organization_id)
    .forNoKeyUpdate()
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
