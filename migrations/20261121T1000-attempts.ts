import type { Kysely } from 'kysely'

/**
 * How often something was tried lately, counted by all processes together. It belongs to no tenant,
 * because whoever guesses an address may belong to none; a cluster keeps it beside the registry.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('attempts')
    .addColumn('email', 'text', (col) => col.notNull())
    .addColumn('kind', 'text', (col) => col.notNull())
    .addColumn('ip', 'text', (col) => col.notNull())
    .addColumn('made', 'integer', (col) => col.notNull())
    .addColumn('expires_at', 'timestamptz(3)', (col) => col.notNull())
    .addPrimaryKeyConstraint('attempts_primary_key', ['email', 'kind', 'ip'])
    .execute()
  await db.schema.createIndex('attempts_by_expiry').on('attempts').column('expires_at').execute()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable('attempts').execute()
}
