import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('password_resets')
    .addColumn('organization_id', 'uuid', (col) => col.notNull())
    .addColumn('user_id', 'uuid', (col) => col.notNull())
    .addColumn('token_hash', 'text', (col) => col.notNull())
    .addColumn('created_at', 'timestamptz(3)', (col) => col.notNull().defaultTo(sql`now()`))
    .addColumn('expires_at', 'timestamptz(3)', (col) => col.notNull())
    .addPrimaryKeyConstraint('password_resets_primary_key', ['organization_id', 'user_id'])
    .addForeignKeyConstraint(
      'password_resets_user_exists',
      ['organization_id', 'user_id'],
      'users',
      ['organization_id', '_id'],
      (constraint) => constraint.onDelete('cascade'),
    )
    .execute()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable('password_resets').execute()
}
