import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // Every application of a blueprint. What it applied may be gone again, so nothing is referred to.
  await db.schema
    .createTable('quick_setups')
    .addColumn('organization_id', 'uuid', (col) =>
      col.notNull().references('organizations._id').onDelete('cascade'),
    )
    .addColumn('_id', 'uuid', (col) => col.notNull())
    .addColumn('scenario_type', 'text', (col) => col.notNull())
    .addColumn('catalogue_version', 'text', (col) => col.notNull())
    .addColumn('models', 'jsonb', (col) => col.notNull())
    .addColumn('team_size', 'integer', (col) => col.notNull())
    .addColumn('overwrite_existing', 'boolean', (col) => col.notNull())
    .addColumn('metadata', 'jsonb', (col) => col.notNull().defaultTo(sql`'{}'`))
    .addColumn('result', 'jsonb', (col) => col.notNull())
    .addColumn('changes', 'jsonb', (col) => col.notNull())
    .addColumn('applied_at', 'timestamptz(3)', (col) => col.notNull())
    .addColumn('applied_by', 'uuid', (col) => col.notNull())
    .addColumn('rolled_back_at', 'timestamptz(3)')
    .addColumn('rolled_back_by', 'uuid')
    .addPrimaryKeyConstraint('quick_setups_primary_key', ['organization_id', '_id'])
    .execute()

  const newestFirst = ['applied_at desc', '_id desc'] as const
  await db.schema
    .createIndex('quick_setups_newest_first')
    .on('quick_setups')
    .columns(['organization_id', ...newestFirst])
    .execute()
  await db.schema
    .createIndex('quick_setups_by_scenario')
    .on('quick_setups')
    .columns(['organization_id', 'scenario_type', ...newestFirst])
    .execute()
  // A super administrator names a setup without its organization, or lists those of all.
  await db.schema.createIndex('quick_setups_by_id').on('quick_setups').column('_id').execute()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable('quick_setups').execute()
}
