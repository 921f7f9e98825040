import type { Kysely } from 'kysely'

/** What a session is going to post, in the order of posting. Never changed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('session_plan')
    .addColumn('organization_id', 'uuid', (col) => col.notNull())
    .addColumn('session_id', 'uuid', (col) => col.notNull())
    .addColumn('position', 'integer', (col) => col.notNull())
    .addColumn('offset_ms', 'bigint', (col) => col.notNull())
    .addColumn('parent_position', 'integer')
    .addColumn('unless_answered', 'integer')
    .addColumn('conversation_id', 'uuid', (col) => col.notNull())
    .addColumn('channel_id', 'uuid', (col) => col.notNull())
    .addColumn('sender_id', 'text', (col) => col.notNull())
    .addColumn('content', 'text', (col) => col.notNull())
    .addColumn('kind', 'text')
    .addColumn('beat', 'text')
    .addColumn('expectation', 'jsonb')
    .addPrimaryKeyConstraint('session_plan_primary_key', [
      'organization_id',
      'session_id',
      'position',
    ])
    .addForeignKeyConstraint(
      'session_plan_session_exists',
      ['organization_id', 'session_id'],
      'simulation_sessions',
      ['organization_id', '_id'],
      (constraint) => constraint.onDelete('cascade'),
    )
    .execute()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable('session_plan').execute()
}
