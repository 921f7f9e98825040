import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('simulation_sessions')
    .addColumn('organization_id', 'uuid', (col) =>
      col.notNull().references('organizations._id').onDelete('cascade'),
    )
    .addColumn('_id', 'uuid', (col) => col.notNull())
    .addColumn('name', 'text', (col) => col.notNull())
    .addColumn('scenario_name', 'text', (col) => col.notNull())
    .addColumn('timing', 'text', (col) => col.notNull())
    .addColumn('speed', 'integer', (col) => col.notNull())
    .addColumn('mode', 'text', (col) => col.notNull())
    .addColumn('status', 'text', (col) => col.notNull())
    .addColumn('starts_at', 'timestamptz(3)')
    .addColumn('ends_after_minutes', 'integer')
    .addColumn('rater_ids', sql`text[]`, (col) => col.notNull().defaultTo(sql`'{}'`))
    .addColumn('metadata', 'jsonb', (col) => col.notNull().defaultTo(sql`'{}'`))
    // What is frozen at the start.
    .addColumn('started_at', 'timestamptz(3)')
    .addColumn('experiment_id', 'uuid')
    .addColumn('arm', 'text')
    .addColumn('scenario', 'jsonb')
    .addColumn('cast_ids', sql`text[]`, (col) => col.notNull().defaultTo(sql`'{}'`))
    .addColumn('conversations', 'jsonb', (col) => col.notNull().defaultTo(sql`'[]'`))
    .addColumn('warnings', 'jsonb', (col) => col.notNull().defaultTo(sql`'[]'`))
    .addColumn('planned', 'integer', (col) => col.notNull().defaultTo(0))
    .addColumn('end_offset_ms', 'bigint')
    // The clock, and how far the plan is posted.
    .addColumn('anchor_at', 'timestamptz(3)')
    .addColumn('paused_at', 'timestamptz(3)')
    .addColumn('ended_at', 'timestamptz(3)')
    .addColumn('next_due_at', 'timestamptz(3)')
    .addColumn('next_offset_ms', 'bigint')
    .addColumn('next_position', 'integer', (col) => col.notNull().defaultTo(0))
    .addColumn('withheld', 'integer', (col) => col.notNull().defaultTo(0))
    .addColumn('last_seq', 'bigint', (col) => col.notNull().defaultTo(0))
    .addColumn('deviations', 'jsonb', (col) => col.notNull().defaultTo(sql`'[]'`))
    .addColumn('created_by', 'uuid')
    .addColumn('created_at', 'timestamptz(3)', (col) => col.notNull().defaultTo(sql`now()`))
    .addColumn('updated_at', 'timestamptz(3)', (col) => col.notNull().defaultTo(sql`now()`))
    .addPrimaryKeyConstraint('simulation_sessions_primary_key', ['organization_id', '_id'])
    .execute()

  const newestFirst = ['created_at desc', '_id desc'] as const
  await index('simulation_sessions_newest_first')
    .columns(['organization_id', ...newestFirst])
    .execute()
  for (const column of ['status', 'scenario_name'] as const) {
    await index(`simulation_sessions_by_${column}`)
      .columns(['organization_id', column, ...newestFirst])
      .execute()
  }
  await index('simulation_sessions_by_experiment')
    .columns(['organization_id', 'experiment_id'])
    .where(sql.ref('experiment_id'), 'is not', null)
    .execute()
  // What is due is looked for in all organizations at once; a super administrator names a session
  // without its organization.
  await index('simulation_sessions_due')
    .column('next_due_at')
    .where(sql.ref('next_due_at'), 'is not', null)
    .execute()
  await index('simulation_sessions_by_id').column('_id').execute()

  function index(name: string) {
    return db.schema.createIndex(name).on('simulation_sessions')
  }
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable('simulation_sessions').execute()
}
