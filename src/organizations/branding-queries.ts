import type { Expression } from 'kysely'
import { sql } from 'kysely'
import type { Schema } from '../contract.js'
import { jsonb } from '../database/expressions.js'
import type { Db, Trx } from '../database/schema.js'
import { type ParametersOf, prepare } from '../database/statements.js'

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

/** The branding that an organization starts with. */
export const brandingInsert = (
  db: Db,
  { _id: organization_id, name: company_name }: ParametersOf<{ _id: string; name: string }>,
) => db.insertInto('brandings').values({ organization_id, company_name })

export const insertBranding = prepare('insert_branding', brandingInsert)

const lockBranding = prepare(
  'select_branding_for_update',
  (db, { organization_id }: ParametersOf<{ organization_id: string }>) =>
    db
      .selectFrom('brandings')
      .select(brandingColumns)
      .where('organization_id', '=', organization_id)
      .forUpdate(),
)

export async function selectBrandingForUpdate(
  trx: Trx,
  organization_id: string,
): Promise<Schema<'Branding'>> {
  const [branding] = await lockBranding(trx, { organization_id })
  return found(branding, organization_id)
}

interface BrandingTexts {
  organization_id: string
  company_name: string
  logo_url: string
  primary_color: string
  sidebar_color: string
  welcome_message: string
  /** JSON. */
  departments: string
}

const writeBranding = prepare('update_branding', (db, branding: ParametersOf<BrandingTexts>) => {
  const { organization_id, departments, ...texts } = branding
  const orNull = (text: Expression<string>) => sql<string | null>`nullif(${text}, '')`
  return db
    .updateTable('brandings')
    .set({
      company_name: orNull(texts.company_name),
      logo_url: orNull(texts.logo_url),
      primary_color: orNull(texts.primary_color),
      sidebar_color: orNull(texts.sidebar_color),
      welcome_message: orNull(texts.welcome_message),
      departments: sql<string[]>`${departments}::jsonb`,
      updated_at: sql<string>`now()`,
    })
    .where('organization_id', '=', organization_id)
    .returning(brandingColumns)
})

/** Updates a branding. One prepared statement serves any combination of null texts. */
export async function updateBranding(
  trx: Trx,
  { organization_id, departments, updated_at, ...nullable }: Schema<'Branding'>,
): Promise<Schema<'Branding'>> {
  const [branding] = await writeBranding(trx, {
    organization_id,
    departments: JSON.stringify(departments),
    company_name: nullable.company_name ?? '',
    logo_url: nullable.logo_url ?? '',
    primary_color: nullable.primary_color ?? '',
    sidebar_color: nullable.sidebar_color ?? '',
    welcome_message: nullable.welcome_message ?? '',
  })
  return found(branding, organization_id)
}

function found<T>(branding: T | undefined, organization_id: string): T {
  if (!branding) throw new Error(`Organization ${organization_id} has no branding`)
  return branding
}

export async function updateDepartments(
  trx: Trx,
  organization_id: string,
  { departments, updated_at }: Pick<Schema<'Branding'>, 'departments' | 'updated_at'>,
): Promise<void> {
  await trx
    .updateTable('brandings')
    .set({ departments: jsonb(departments), updated_at })
    .where('organization_id', '=', organization_id)
    .execute()
}
