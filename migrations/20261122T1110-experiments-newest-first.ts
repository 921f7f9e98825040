import type { Kysely } from 'kysely'

/** How experiments are listed, read from the end. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('experiments_newest_first')
    .on('experiments')
    .columns(['organization_id', 'created_at', '_id'])
    .execute()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex('experiments_newest_first').execute()
}
