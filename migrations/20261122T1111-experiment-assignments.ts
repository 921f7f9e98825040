import type { Kysely } from 'kysely'

/** How sessions came into the arms; null where that was by hand. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('experiments').addColumn('assignment', 'jsonb').execute()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('experiments').dropColumn('assignment').execute()
}
