import { type Kysely, sql } from 'kysely'

/** How participants rate themselves: one row for each place. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('own_ratings')
    .addColumn('organization_id', 'uuid', (col) => col.notNull())
    .addColumn('session_id', 'uuid', (col) => col.notNull())
    .addColumn('assignment_id', 'uuid', (col) => col.notNull())
    .addColumn('values', 'jsonb', (col) => col.notNull())
    .addColumn('comment', 'text')
    .addColumn('rated_at', 'timestamptz(3)', (col) => col.notNull().defaultTo(sql`now()`))
    .addPrimaryKeyConstraint('own_ratings_primary_key', [
      'organization_id',
      'session_id',
      'assignment_id',
    ])
    .addForeignKeyConstraint(
      'own_ratings_assignment_exists',
      ['organization_id', 'assignment_id'],
      'session_assignments',
      ['organization_id', '_id'],
      (constraint) => constraint.onDelete('cascade'),
    )
    .execute()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable('own_ratings').execute()
}
