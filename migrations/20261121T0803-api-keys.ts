import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('api_keys')
    .addColumn('organization_id', 'uuid', (col) => col.notNull())
    .addColumn('_id', 'uuid', (col) => col.notNull())
    .addColumn('user_id', 'uuid', (col) => col.notNull())
    .addColumn('name', 'text', (col) => col.notNull())
    .addColumn('key_hash', 'text', (col) => col.notNull())
    .addColumn('created_by', 'uuid', (col) => col.notNull())
    .addColumn('created_at', 'timestamptz(3)', (col) => col.notNull().defaultTo(sql`now()`))
    .addColumn('expires_at', 'timestamptz(3)')
    .addColumn('last_used_at', 'timestamptz(3)')
    .addPrimaryKeyConstraint('api_keys_primary_key', ['organization_id', '_id'])
    .addUniqueConstraint('api_keys_hash_unique', ['organization_id', 'key_hash'])
    .addForeignKeyConstraint(
      'api_keys_user_exists',
      ['organization_id', 'user_id'],
      'users',
      ['organization_id', '_id'],
      (constraint) => constraint.onDelete('cascade'),
    )
    .execute()
  await db.schema
    .createIndex('api_keys_by_user')
    .on('api_keys')
    .columns(['organization_id', 'user_id'])
    .execute()
  // A super administrator names a user without the organization.
  await db.schema.createIndex('users_by_id').on('users').column('_id').execute()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex('users_by_id').execute()
  await db.schema.dropTable('api_keys').execute()
}
