import { type Kysely, sql } from 'kysely'

/**
 * Which participants have streams open in which process. The rows of a process count only while it renews its
 * row in `stream_processes`. Neither table has foreign keys: one row that cannot be written must not keep
 * the other rows of its statement from being written.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot change a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await db.schema
    .createTable('stream_presence')
    .addColumn('organization_id', 'uuid', (col) => col.notNull())
    .addColumn('session_id', 'uuid', (col) => col.notNull())
    .addColumn('user_id', 'uuid', (col) => col.notNull())
    .addColumn('process_id', 'uuid', (col) => col.notNull())
    .addColumn('since', 'timestamptz(3)', (col) => col.notNull())
    .addPrimaryKeyConstraint('stream_presence_primary_key', [
      'organization_id',
      'session_id',
      'user_id',
      'process_id',
    ])
    .execute()
  await db.schema
    .createTable('stream_processes')
    .addColumn('process_id', 'uuid', (col) => col.notNull())
    .addColumn('renewed_at', 'timestamptz(3)', (col) => col.notNull())
    .addPrimaryKeyConstraint('stream_processes_primary_key', ['process_id'])
    .execute()
  await db.schema
    .alterTable('session_assignments')
    .addColumn('last_online_at', 'timestamptz(3)')
    .execute()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot drop a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await db.schema.alterTable('session_assignments').dropColumn('last_online_at').execute()
  await db.schema.dropTable('stream_processes').execute()
  await db.schema.dropTable('stream_presence').execute()
}
