import { type Kysely, sql } from 'kysely'

/** The links that let people into a session, and the login sessions that such a link has started. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot change a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await addPlace(db)
  await db.schema
    .createTable('seat_links')
    .addColumn('organization_id', 'uuid', (col) => col.notNull())
    .addColumn('session_id', 'uuid', (col) => col.notNull())
    .addColumn('assignment_id', 'uuid', (col) => col.notNull())
    .addColumn('token_hash', 'text', (col) => col.notNull())
    .addColumn('created_at', 'timestamptz(3)', (col) => col.notNull().defaultTo(sql`now()`))
    .addColumn('created_by', 'uuid')
    .addColumn('revoked_at', 'timestamptz(3)')
    .addColumn('taken_at', 'timestamptz(3)')
    .addPrimaryKeyConstraint('seat_links_primary_key', ['organization_id', 'assignment_id'])
    .addUniqueConstraint('seat_links_token_unique', ['organization_id', 'token_hash'])
    .addForeignKeyConstraint(
      'seat_links_place_exists',
      ['organization_id', 'assignment_id'],
      'session_assignments',
      ['organization_id', '_id'],
      (constraint) => constraint.onDelete('cascade'),
    )
    .execute()
  await db.schema
    .createIndex('seat_links_by_session')
    .on('seat_links')
    .columns(['organization_id', 'session_id'])
    .execute()
}

/**
 * A login session that is bound to a place in a session, and why it ended. Without a foreign key, like the
 * session of a guest.
 */
async function addPlace(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('login_sessions')
    .addColumn('simulation_session_id', 'uuid')
    .addColumn('assignment_id', 'uuid')
    .addColumn('ended_as', 'text')
    .execute()
  for (const column of ['simulation_session_id', 'assignment_id']) {
    await db.schema
      .createIndex(`login_sessions_by_${column}`)
      .on('login_sessions')
      .columns(['organization_id', column])
      .where(sql.ref(column), 'is not', null)
      .execute()
  }
}

export async function down(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot drop a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await db.schema.dropTable('seat_links').execute()
  await sql`delete from login_sessions where assignment_id is not null`.execute(db)
  for (const column of ['simulation_session_id', 'assignment_id', 'ended_as']) {
    await db.schema.alterTable('login_sessions').dropColumn(column).execute()
  }
}
