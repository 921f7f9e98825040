import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import {
  type AuditEventRow,
  type AuditEventValues,
  insertChangeEvent,
} from '../audit-events/record.js'
import type { Schema } from '../contract.js'
import type { Database } from '../database/schema.js'
import { type ParametersOf, prepare } from '../database/statements.js'
import { brandingColumns } from './queries.js'

const fields = [
  'company_name',
  'logo_url',
  'primary_color',
  'sidebar_color',
  'welcome_message',
  'departments',
] as const

interface BrandingChange extends AuditEventValues {
  organization_id: string
  /** The fields given, as a JSON object. */
  given: string
}

const changeBranding = prepare('update_branding', (db, change: ParametersOf<BrandingChange>) => {
  const { organization_id, given } = change
  const text = (field: Exclude<(typeof fields)[number], 'departments'>) =>
    sql<string | null>`case when given ? ${sql.lit(field)}
      then nullif(given ->> ${sql.lit(field)}, '') else ${sql.ref(`before.${field}`)} end`
  const columnsOf = (row: string) => sql.join(fields.map((field) => sql.ref(`${row}.${field}`)))

  return db
    .with('before', (q) =>
      q
        .selectFrom('brandings')
        .select(brandingColumns)
        .where('organization_id', '=', organization_id)
        .forUpdate(),
    )
    .with('wanted', (q) =>
      q
        .selectFrom(['before', sql`(select ${given}::jsonb as given)`.as('change')])
        .select([
          text('company_name').as('company_name'),
          text('logo_url').as('logo_url'),
          text('primary_color').as('primary_color'),
          text('sidebar_color').as('sidebar_color'),
          text('welcome_message').as('welcome_message'),
          sql<string[]>`coalesce(given -> 'departments', before.departments)`.as('departments'),
        ]),
    )
    .with('after', (q) =>
      q
        .updateTable('brandings')
        .from(['before', 'wanted'])
        .set((eb) => ({
          company_name: eb.ref('wanted.company_name'),
          logo_url: eb.ref('wanted.logo_url'),
          primary_color: eb.ref('wanted.primary_color'),
          sidebar_color: eb.ref('wanted.sidebar_color'),
          welcome_message: eb.ref('wanted.welcome_message'),
          departments: sql<string[]>`wanted.departments`,
          updated_at: sql<string>`now()`,
        }))
        .where('brandings.organization_id', '=', organization_id)
        .where(sql<boolean>`(${columnsOf('before')}) is distinct from (${columnsOf('wanted')})`)
        .returning(brandingColumns.map((column) => `brandings.${column}` as const)),
    )
    .with('recorded', () => sql<object>`(${insertChangeEvent(change, fields)})`)
    .selectFrom('after')
    .select(brandingColumns)
    .unionAll((q) =>
      q
        .selectFrom('before')
        .select(brandingColumns)
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom('after').select('logo_url'))),
        ),
    )
})

/**
 * Changes the fields given, and writes the event with what changed, in one round trip. Null leaves a
 * field as it is, an empty text clears it.
 */
export async function updateBranding(
  db: Kysely<Database>,
  organization_id: string,
  update: Schema<'BrandingUpdate'>,
  { metadata, ...event }: AuditEventRow,
): Promise<Schema<'Branding'>> {
  const given = Object.fromEntries(
    fields.flatMap((field) => ((update[field] ?? null) === null ? [] : [[field, update[field]]])),
  )
  const change = { ...event, organization_id, given: JSON.stringify(given) }
  const [branding] = await changeBranding(db, { ...change, metadata: JSON.stringify(metadata) })
  if (!branding) throw new Error(`Organization ${organization_id} has no branding`)
  return branding
}
