import { type Kysely, sql } from 'kysely'

/** Links of mails that no longer work, so that the person who has one is told why. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('ended_links')
    .addColumn('organization_id', 'uuid', (col) => col.notNull())
    .addColumn('token_hash', 'text', (col) => col.notNull())
    .addColumn('user_id', 'uuid', (col) => col.notNull())
    .addColumn('ended_as', 'text', (col) => col.notNull())
    .addColumn('ended_at', 'timestamptz(3)', (col) => col.notNull().defaultTo(sql`now()`))
    .addPrimaryKeyConstraint('ended_links_primary_key', ['organization_id', 'token_hash'])
    .addForeignKeyConstraint(
      'ended_links_user_exists',
      ['organization_id', 'user_id'],
      'users',
      ['organization_id', '_id'],
      (constraint) => constraint.onDelete('cascade'),
    )
    .execute()
  await db.schema
    .createIndex('ended_links_by_user')
    .on('ended_links')
    .columns(['organization_id', 'user_id', 'ended_at'])
    .execute()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable('ended_links').execute()
}
