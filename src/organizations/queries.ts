import type { Kysely, Transaction } from 'kysely'
import { sql } from 'kysely'
import {
  type AuditEventRow,
  type AuditEventValues,
  insertChangeEvent,
} from '../audit-events/record.js'
import type { Schema } from '../contract.js'
import type { Database } from '../database/schema.js'
import { type ParametersOf, prepare } from '../database/statements.js'
import { isId } from '../identifiers.js'

type Trx = Transaction<Database>

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

/** A new organization, with a branding that starts from its name. */
export async function insertOrganization(
  trx: Transaction<Database>,
  organization: { _id: string; name: string },
) {
  await trx.insertInto('organizations').values(organization).execute()
  await trx
    .insertInto('brandings')
    .values({ organization_id: organization._id, company_name: organization.name })
    .execute()
}

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

/**
 * Makes whoever else locks this organization wait until the transaction ends. Not `for update`:
 * that would wait for, and deadlock with, every transaction that inserts a row of the organization.
 */
export async function lockOrganization(
  trx: Transaction<Database>,
  organization_id: string,
): Promise<void> {
  await trx
    .selectFrom('organizations')
    .select('_id')
    .where('_id', '=', organization_id)
    .forNoKeyUpdate()
    .execute()
}

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

export function selectBranding(db: Kysely<Database>, organization_id: string) {
  return db
    .selectFrom('brandings')
    .select(brandingColumns)
    .where('organization_id', '=', organization_id)
    .executeTakeFirstOrThrow()
}

const textFields = [
  'company_name',
  'logo_url',
  'primary_color',
  'sidebar_color',
  'welcome_message',
] as const
const fields = [...textFields, 'departments'] as const

type BrandingValues = Record<(typeof fields)[number], string | null> & AuditEventValues

/** For each set of fields that may be given a statement of its own: 64 at most. */
const changeBranding = prepare('update_branding', (_db, values: ParametersOf<BrandingValues>) => {
  const wanted = fields.map((field) => {
    const value = values[field]
    if (value === null) return sql.ref(`before.${field}`)
    return field === 'departments' ? sql`${value}::jsonb` : sql`nullif(${value}::text, '')`
  })
  const { organization_id } = values
  const columns = sql.join(fields.map((field) => sql.ref(field)))
  const present = sql.join(fields.map((field) => sql.ref(`before.${field}`)))
  return sql<Schema<'Branding'>>`
    with before as (
      select * from brandings where organization_id = ${organization_id} for update
    ), after as (
      update brandings
      set (${columns}, updated_at) = row(${sql.join(wanted)}, now())
      from before
      where brandings.organization_id = ${organization_id}
        and (${present}) is distinct from (${sql.join(wanted)})
      returning brandings.*
    ), recorded as (${insertChangeEvent(values, fields)})
    select ${sql.join(brandingColumns.map((column) => sql.ref(column)))}
    from (select * from after union all select * from before where not exists (select from after))
      as branding`
})

/**
 * Changes the fields given, and writes the event with what changed, in one round trip. Null leaves a
 * field as it is, an empty text clears it.
 */
export async function updateBranding(
  db: Kysely<Database>,
  { departments, ...wanted }: Schema<'BrandingUpdate'>,
  { metadata, ...event }: AuditEventRow,
): Promise<Schema<'Branding'>> {
  const texts = textFields.map((field) => [field, wanted[field] ?? null] as const)
  const [branding] = await changeBranding(db, {
    ...(Object.fromEntries(texts) as Record<(typeof textFields)[number], string | null>),
    departments: departments ? JSON.stringify(departments) : null,
    ...event,
    metadata: JSON.stringify(metadata),
  })
  if (!branding) throw new Error(`Organization ${event.organization_id} has no branding`)
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
