import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  const session = ['organization_id', 'session_id'] as const
  await db.schema
    .createTable('session_messages')
    .addColumn('organization_id', 'uuid', (col) => col.notNull())
    .addColumn('session_id', 'uuid', (col) => col.notNull())
    .addColumn('seq', 'bigint', (col) => col.notNull())
    .addColumn('_id', 'uuid', (col) => col.notNull())
    .addColumn('conversation_id', 'uuid', (col) => col.notNull())
    .addColumn('channel_id', 'uuid', (col) => col.notNull())
    .addColumn('thread_id', 'uuid')
    .addColumn('plan_position', 'integer')
    .addColumn('sender_id', 'text', (col) => col.notNull())
    .addColumn('sender_kind', 'text', (col) => col.notNull())
    // Who posted it; null where the service did. A trainer speaks as a character.
    .addColumn('author_id', 'uuid')
    .addColumn('client_message_id', 'text')
    .addColumn('injected', 'boolean', (col) => col.notNull().defaultTo(false))
    .addColumn('content', 'text', (col) => col.notNull())
    .addColumn('kind', 'text')
    .addColumn('beat', 'text')
    .addColumn('expectation', 'jsonb')
    .addColumn('offset_ms', 'bigint', (col) => col.notNull())
    .addColumn('posted_at', 'timestamptz(3)', (col) => col.notNull().defaultTo(sql`now()`))
    .addPrimaryKeyConstraint('session_messages_primary_key', [...session, 'seq'])
    .addUniqueConstraint('session_messages_position_once', [...session, 'plan_position'])
    .addUniqueConstraint('session_messages_client_message_once', [
      ...session,
      'author_id',
      'client_message_id',
    ])
    .addForeignKeyConstraint(
      'session_messages_session_exists',
      [...session],
      'simulation_sessions',
      ['organization_id', '_id'],
      (constraint) => constraint.onDelete('cascade'),
    )
    .execute()
  await db.schema
    .createIndex('session_messages_by_id')
    .on('session_messages')
    .columns([...session, '_id'])
    .execute()
  await db.schema
    .createIndex('session_messages_by_thread')
    .on('session_messages')
    .columns([...session, 'thread_id', 'seq'])
    .execute()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable('session_messages').execute()
}
