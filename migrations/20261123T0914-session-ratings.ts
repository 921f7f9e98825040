import { type Kysely, sql } from 'kysely'

/** What raters made of a session. `subject` is a participant's assignment, or the team. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('session_ratings')
    .addColumn('organization_id', 'uuid', (col) => col.notNull())
    .addColumn('session_id', 'uuid', (col) => col.notNull())
    .addColumn('rater_id', 'uuid', (col) => col.notNull())
    .addColumn('pseudonym', 'text', (col) => col.notNull())
    .addColumn('subject', 'text', (col) => col.notNull())
    .addColumn('criterion', 'text', (col) => col.notNull())
    .addColumn('value', 'jsonb', (col) => col.notNull())
    .addColumn('comment', 'text')
    .addColumn('rated_at', 'timestamptz(3)', (col) => col.notNull().defaultTo(sql`now()`))
    .addPrimaryKeyConstraint('session_ratings_primary_key', [
      'organization_id',
      'session_id',
      'rater_id',
      'subject',
      'criterion',
    ])
    .addForeignKeyConstraint(
      'session_ratings_session_exists',
      ['organization_id', 'session_id'],
      'simulation_sessions',
      ['organization_id', '_id'],
      (constraint) => constraint.onDelete('cascade'),
    )
    .execute()
  await db.schema
    .createIndex('session_ratings_by_rater')
    .on('session_ratings')
    .columns(['organization_id', 'rater_id'])
    .execute()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable('session_ratings').execute()
}
