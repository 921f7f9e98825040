import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('experiments')
    .addColumn('organization_id', 'uuid', (col) =>
      col.notNull().references('organizations._id').onDelete('cascade'),
    )
    .addColumn('_id', 'uuid', (col) => col.notNull())
    .addColumn('setup_id', 'uuid')
    .addColumn('name', 'text')
    .addColumn('hypothesis', 'text')
    .addColumn('status', 'text', (col) => col.notNull().defaultTo('draft'))
    .addColumn('has_run', 'boolean', (col) => col.notNull().defaultTo(false))
    .addColumn('control_session_ids', sql`text[]`, (col) => col.notNull().defaultTo(sql`'{}'`))
    .addColumn('intervention_session_ids', sql`text[]`, (col) => col.notNull().defaultTo(sql`'{}'`))
    .addColumn('assignment_ids', sql`text[]`, (col) => col.notNull().defaultTo(sql`'{}'`))
    .addColumn('start_at', 'timestamptz(3)')
    .addColumn('end_at', 'timestamptz(3)')
    .addColumn('metadata', 'jsonb', (col) => col.notNull().defaultTo(sql`'{}'`))
    .addColumn('created_by', 'uuid')
    .addColumn('created_at', 'timestamptz(3)', (col) => col.notNull().defaultTo(sql`now()`))
    .addColumn('updated_at', 'timestamptz(3)', (col) => col.notNull().defaultTo(sql`now()`))
    .addPrimaryKeyConstraint('experiments_primary_key', ['organization_id', '_id'])
    .addUniqueConstraint('experiments_setup_unique', ['organization_id', 'setup_id'])
    .addForeignKeyConstraint(
      'experiments_setup_exists',
      ['organization_id', 'setup_id'],
      'blueprint_setups',
      ['organization_id', '_id'],
    )
    .addCheckConstraint('experiments_period_forward', sql`end_at > start_at`)
    .execute()

  await db.schema
    .createIndex('experiments_running')
    .on('experiments')
    .column('organization_id')
    .where(sql.ref('status'), '=', sql.lit('running'))
    .execute()
  // A super administrator names an experiment without its organization.
  await db.schema.createIndex('experiments_by_id').on('experiments').column('_id').execute()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable('experiments').execute()
}
