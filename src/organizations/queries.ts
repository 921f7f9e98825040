import { sql } from 'kysely'
import type { Schema } from '../contract.js'
import { jsonObject } from '../database/expressions.js'
import type { Db, Trx } from '../database/schema.js'
import { type ParametersOf, prepare } from '../database/statements.js'
import { isId } from '../formats/identifiers.js'
import { brandingColumns, insertBranding } from './branding-queries.js'

interface NewOrganization {
  _id: string
  name: string
}

/** Inserts an organization, with a branding that has its name. */
export async function insertOrganization(trx: Trx, organization: NewOrganization): Promise<void> {
  await insertRow(trx, organization)
  await insertBranding(trx, organization)
}

/** `verified_at` is null for an organization that may not send letters yet. */
export const organizationInsert = (
  db: Db,
  { _id, name }: ParametersOf<NewOrganization>,
  columns: { verified_at?: null } = {},
) => db.insertInto('organizations').values({ _id, name, ...columns })

const insertRow = prepare(
  'insert_organization',
  (db, organization: ParametersOf<NewOrganization>) => organizationInsert(db, organization),
)

export async function organizationExists(db: Db, organization_id: string): Promise<boolean> {
  if (!isId(organization_id)) return false
  const row = await db
    .selectFrom('organizations')
    .select('_id')
    .where('_id', '=', organization_id)
    .executeTakeFirst()
  return row !== undefined
}

/** Whether an organization may send letters: the person who registered it has verified their e-mail address. */
export async function isVerified(db: Db, organization_id: string): Promise<boolean> {
  const { verified_at } = await db
    .selectFrom('organizations')
    .select('verified_at')
    .where('_id', '=', organization_id)
    .executeTakeFirstOrThrow()
  return verified_at !== null
}

/**
 * Locks an organization until the transaction ends. Not `for update`: that would wait for, and
 * deadlock with, every transaction that inserts a row of the organization.
 */
export async function lockOrganization(trx: Trx, organization_id: string): Promise<void> {
  await trx
    .selectFrom('organizations')
    .select('_id')
    .where('_id', '=', organization_id)
    .forNoKeyUpdate()
    .execute()
}

const organizationColumns = ['_id', 'name', 'created_at', 'updated_at'] as const

/** The contract's Organization as JSON, from a query that joins `brandings`. */
export const organizationObject = jsonObject('organizations', organizationColumns, {
  branding: jsonObject('brandings', brandingColumns),
}).$castTo<Schema<'Organization'>>()

export async function selectOrganization(
  db: Db,
  organization_id: string,
): Promise<Schema<'Organization'>> {
  const { organization } = await db
    .selectFrom('organizations')
    .innerJoin('brandings', 'brandings.organization_id', 'organizations._id')
    .select(organizationObject.as('organization'))
    .where('organizations._id', '=', organization_id)
    .executeTakeFirstOrThrow()
  return organization
}

export function selectBranding(db: Db, organization_id: string) {
  return db
    .selectFrom('brandings')
    .select(brandingColumns)
    .where('organization_id', '=', organization_id)
    .executeTakeFirstOrThrow()
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
