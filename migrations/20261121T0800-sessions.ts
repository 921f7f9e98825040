import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('sessions')
    .addColumn('organization_id', 'uuid', (col) => col.notNull())
    .addColumn('_id', 'uuid', (col) => col.notNull())
    .addColumn('user_id', 'uuid', (col) => col.notNull())
    .addColumn('created_at', 'timestamptz(3)', (col) => col.notNull().defaultTo(sql`now()`))
    .addColumn('expires_at', 'timestamptz(3)', (col) => col.notNull())
    .addColumn('ended_at', 'timestamptz(3)')
    .addPrimaryKeyConstraint('sessions_primary_key', ['organization_id', '_id'])
    .addForeignKeyConstraint(
      'sessions_user_exists',
      ['organization_id', 'user_id'],
      'users',
      ['organization_id', '_id'],
      (constraint) => constraint.onDelete('cascade'),
    )
    .execute()
  await db.schema
    .createIndex('sessions_by_user')
    .on('sessions')
    .columns(['organization_id', 'user_id'])
    .execute()

  await db.schema
    .createTable('refresh_tokens')
    .addColumn('organization_id', 'uuid', (col) => col.notNull())
    .addColumn('token_hash', 'text', (col) => col.notNull())
    .addColumn('session_id', 'uuid', (col) => col.notNull())
    .addColumn('used_at', 'timestamptz(3)')
    .addPrimaryKeyConstraint('refresh_tokens_primary_key', ['organization_id', 'token_hash'])
    .addForeignKeyConstraint(
      'refresh_tokens_session_exists',
      ['organization_id', 'session_id'],
      'sessions',
      ['organization_id', '_id'],
      (constraint) => constraint.onDelete('cascade'),
    )
    .execute()
  await db.schema
    .createIndex('refresh_tokens_by_session')
    .on('refresh_tokens')
    .columns(['organization_id', 'session_id'])
    .execute()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable('refresh_tokens').execute()
  await db.schema.dropTable('sessions').execute()
}
