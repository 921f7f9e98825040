import type { Transaction } from 'kysely'
import type { Database } from '../database/schema.js'

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
