import type { Transaction } from 'kysely'
import { sql } from 'kysely'
import { jsonb } from '../database/expressions.js'
import type { Database } from '../database/schema.js'

type Trx = Transaction<Database>

export function selectSetupExperiment(trx: Trx, organization_id: string, setup_id: string) {
  return trx
    .selectFrom('experiments')
    .select(['_id', 'status', 'name', 'hypothesis', 'metadata'])
    .where('organization_id', '=', organization_id)
    .where('setup_id', '=', setup_id)
    .forUpdate()
    .executeTakeFirst()
}

export async function updateDraft(
  trx: Trx,
  organization_id: string,
  _id: string,
  draft: { name: string; hypothesis: string; metadata: Record<string, unknown> },
): Promise<void> {
  await trx
    .updateTable('experiments')
    .set({ ...draft, metadata: jsonb(draft.metadata), updated_at: sql<string>`now()` })
    .where('organization_id', '=', organization_id)
    .where('_id', '=', _id)
    .execute()
}
