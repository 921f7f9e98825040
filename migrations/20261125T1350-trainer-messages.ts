import { type Kysely, sql } from 'kysely'

/**
 * Private words between one participant and the trainers of a session. A session counts them, so that
 * event streams read them only when there are new ones.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot change a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await db.schema
    .createTable('trainer_messages')
    .addColumn('organization_id', 'uuid', (col) => col.notNull())
    .addColumn('session_id', 'uuid', (col) => col.notNull())
    .addColumn('seq', 'bigint', (col) => col.notNull())
    .addColumn('_id', 'uuid', (col) => col.notNull())
    .addColumn('assignment_id', 'uuid', (col) => col.notNull())
    .addColumn('sender_id', 'uuid', (col) => col.notNull())
    .addColumn('from_trainer', 'boolean', (col) => col.notNull())
    .addColumn('client_message_id', 'text')
    .addColumn('content', 'text', (col) => col.notNull())
    .addColumn('elapsed_ms', 'bigint')
    .addColumn('created_at', 'timestamptz(3)', (col) => col.notNull())
    .addPrimaryKeyConstraint('trainer_messages_primary_key', [
      'organization_id',
      'session_id',
      'seq',
    ])
    .addUniqueConstraint('trainer_messages_client_message_once', [
      'organization_id',
      'session_id',
      'sender_id',
      'client_message_id',
    ])
    .addForeignKeyConstraint(
      'trainer_messages_place_exists',
      ['organization_id', 'assignment_id'],
      'session_assignments',
      ['organization_id', '_id'],
      (constraint) => constraint.onDelete('cascade'),
    )
    .execute()
  await db.schema
    .createIndex('trainer_messages_by_place')
    .on('trainer_messages')
    .columns(['organization_id', 'assignment_id', 'seq'])
    .execute()
  await db.schema
    .alterTable('simulation_sessions')
    .addColumn('trainer_seq', 'bigint', (col) => col.notNull().defaultTo(0))
    .execute()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot drop a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await db.schema.alterTable('simulation_sessions').dropColumn('trainer_seq').execute()
  await db.schema.dropTable('trainer_messages').execute()
}
