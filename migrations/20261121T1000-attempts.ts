import type { Kysely } from 'kysely'

/** Counts of every process together. The columns are those that rate-limiter-flexible wants. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('attempts')
    .addColumn('key', 'text', (col) => col.notNull())
    .addColumn('points', 'integer', (col) => col.notNull().defaultTo(0))
    .addColumn('expire', 'bigint')
    .addPrimaryKeyConstraint('attempts_primary_key', ['key'])
    .execute()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable('attempts').execute()
}
