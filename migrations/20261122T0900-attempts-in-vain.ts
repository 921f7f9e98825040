import type { Kysely } from 'kysely'

/** Those in vain are counted apart from those that are still under way and may be given back. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('attempts').renameColumn('made', 'taken').execute()
  await db.schema
    .alterTable('attempts')
    .addColumn('spent', 'integer', (col) => col.notNull().defaultTo(0))
    .execute()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('attempts').dropColumn('spent').execute()
  await db.schema.alterTable('attempts').renameColumn('taken', 'made').execute()
}
