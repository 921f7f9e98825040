import { type Kysely, sql } from 'kysely'

/** What trainers and raters observed in a session, and when on its clock. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('session_notes')
    .addColumn('organization_id', 'uuid', (col) => col.notNull())
    .addColumn('_id', 'uuid', (col) => col.notNull())
    .addColumn('session_id', 'uuid', (col) => col.notNull())
    .addColumn('author_id', 'uuid', (col) => col.notNull())
    // The same as in the author's ratings.
    .addColumn('pseudonym', 'text', (col) => col.notNull())
    .addColumn('content', 'text', (col) => col.notNull())
    .addColumn('message_id', 'uuid')
    .addColumn('elapsed_ms', 'bigint')
    .addColumn('created_at', 'timestamptz(3)', (col) => col.notNull().defaultTo(sql`now()`))
    .addPrimaryKeyConstraint('session_notes_primary_key', ['organization_id', '_id'])
    .addForeignKeyConstraint(
      'session_notes_session_exists',
      ['organization_id', 'session_id'],
      'simulation_sessions',
      ['organization_id', '_id'],
      (constraint) => constraint.onDelete('cascade'),
    )
    .execute()
  await db.schema
    .createIndex('session_notes_by_time')
    .on('session_notes')
    .columns(['organization_id', 'session_id', 'created_at', '_id'])
    .execute()
  await db.schema
    .createIndex('session_notes_by_author')
    .on('session_notes')
    .columns(['organization_id', 'author_id'])
    .execute()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable('session_notes').execute()
}
