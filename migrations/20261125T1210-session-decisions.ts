import { type Kysely, sql } from 'kysely'

/** The decisions that a session has asked for, and how each ended. The key is the beat. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('session_decisions')
    .addColumn('organization_id', 'uuid', (col) => col.notNull())
    .addColumn('session_id', 'uuid', (col) => col.notNull())
    .addColumn('beat', 'text', (col) => col.notNull())
    .addColumn('message_id', 'uuid', (col) => col.notNull())
    .addColumn('conversation_id', 'uuid', (col) => col.notNull())
    .addColumn('question', 'text', (col) => col.notNull())
    .addColumn('options', 'jsonb', (col) => col.notNull())
    .addColumn('decided_by', sql`text[]`, (col) => col.notNull())
    .addColumn('fallback_option', 'text', (col) => col.notNull())
    .addColumn('asked_at', 'timestamptz(3)', (col) => col.notNull())
    .addColumn('asked_offset_ms', 'bigint', (col) => col.notNull())
    .addColumn('deadline_offset_ms', 'bigint', (col) => col.notNull())
    .addColumn('status', 'text', (col) => col.notNull().defaultTo('open'))
    .addColumn('option', 'text')
    .addColumn('made_by', 'uuid')
    .addColumn('on_behalf', 'boolean', (col) => col.notNull().defaultTo(false))
    .addColumn('reason', 'text')
    .addColumn('ended_at', 'timestamptz(3)')
    .addColumn('ended_offset_ms', 'bigint')
    // The message that says how it ended; null if the end of the session ended it.
    .addColumn('ended_seq', 'bigint')
    .addPrimaryKeyConstraint('session_decisions_primary_key', [
      'organization_id',
      'session_id',
      'beat',
    ])
    .addCheckConstraint(
      'session_decisions_end_is_whole',
      sql`(status = 'open') = (ended_at is null) and (status <> 'decided' or option is not null)`,
    )
    .addForeignKeyConstraint(
      'session_decisions_session_exists',
      ['organization_id', 'session_id'],
      'simulation_sessions',
      ['organization_id', '_id'],
      (constraint) => constraint.onDelete('cascade'),
    )
    .execute()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable('session_decisions').execute()
}
