import { type Kysely, sql } from 'kysely'

/** The places of participants in a session. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('session_assignments')
    .addColumn('organization_id', 'uuid', (col) => col.notNull())
    .addColumn('_id', 'uuid', (col) => col.notNull())
    .addColumn('session_id', 'uuid', (col) => col.notNull())
    .addColumn('user_id', 'uuid', (col) => col.notNull())
    .addColumn('role_key', 'text')
    // Theirs in all sessions of the organization, and made of nothing but chance.
    .addColumn('pseudonym', 'text', (col) => col.notNull())
    .addColumn('joined_at', 'timestamptz(3)')
    .addColumn('left_at', 'timestamptz(3)')
    .addColumn('created_at', 'timestamptz(3)', (col) => col.notNull().defaultTo(sql`now()`))
    .addPrimaryKeyConstraint('session_assignments_primary_key', ['organization_id', '_id'])
    .addUniqueConstraint('session_assignments_user_once', [
      'organization_id',
      'session_id',
      'user_id',
    ])
    .addForeignKeyConstraint(
      'session_assignments_session_exists',
      ['organization_id', 'session_id'],
      'simulation_sessions',
      ['organization_id', '_id'],
      (constraint) => constraint.onDelete('cascade'),
    )
    .addForeignKeyConstraint(
      'session_assignments_user_exists',
      ['organization_id', 'user_id'],
      'users',
      ['organization_id', '_id'],
      (constraint) => constraint.onDelete('cascade'),
    )
    .execute()
  await db.schema
    .createIndex('session_assignments_by_user')
    .on('session_assignments')
    .columns(['organization_id', 'user_id', 'session_id'])
    .execute()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable('session_assignments').execute()
}
