import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await createSetups(db)
  await createCharacters(db)
  await createChannelTemplates(db)
}

async function createSetups(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('blueprint_setups')
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
    .addColumn('applied_at', 'timestamptz(3)', (col) => col.notNull().defaultTo(sql`now()`))
    .addColumn('applied_by', 'uuid', (col) => col.notNull())
    .addPrimaryKeyConstraint('blueprint_setups_primary_key', ['organization_id', '_id'])
    .addUniqueConstraint('blueprint_setups_scenario_unique', ['organization_id', 'scenario_type'])
    .execute()
}

async function createCharacters(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('characters')
    .addColumn('organization_id', 'uuid', (col) => col.notNull())
    .addColumn('user_id', 'uuid', (col) => col.notNull())
    .addColumn('setup_id', 'uuid', (col) => col.notNull())
    .addColumn('character_key', 'text', (col) => col.notNull())
    .addPrimaryKeyConstraint('characters_primary_key', ['organization_id', 'user_id'])
    .addUniqueConstraint('characters_key_unique', ['organization_id', 'setup_id', 'character_key'])
    .addForeignKeyConstraint(
      'characters_user_exists',
      ['organization_id', 'user_id'],
      'users',
      ['organization_id', '_id'],
      (constraint) => constraint.onDelete('cascade'),
    )
    .addForeignKeyConstraint(
      'characters_setup_exists',
      ['organization_id', 'setup_id'],
      'blueprint_setups',
      ['organization_id', '_id'],
      (constraint) => constraint.onDelete('cascade'),
    )
    .execute()
}

async function createChannelTemplates(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('channel_templates')
    .addColumn('organization_id', 'uuid', (col) =>
      col.notNull().references('organizations._id').onDelete('cascade'),
    )
    .addColumn('_id', 'uuid', (col) => col.notNull())
    .addColumn('setup_id', 'uuid')
    .addColumn('scenario_name', 'text', (col) => col.notNull().defaultTo('default'))
    .addColumn('channel_name', 'text', (col) => col.notNull())
    .addColumn('message_templates', 'jsonb', (col) => col.notNull().defaultTo(sql`'[]'`))
    .addColumn('is_active', 'boolean', (col) => col.notNull().defaultTo(true))
    .addColumn('apply_to_existing_users', 'boolean', (col) => col.notNull().defaultTo(false))
    .addColumn('created_at', 'timestamptz(3)', (col) => col.notNull().defaultTo(sql`now()`))
    .addColumn('updated_at', 'timestamptz(3)', (col) => col.notNull().defaultTo(sql`now()`))
    .addPrimaryKeyConstraint('channel_templates_primary_key', ['organization_id', '_id'])
    .addUniqueConstraint('channel_templates_channel_unique', [
      'organization_id',
      'scenario_name',
      'channel_name',
    ])
    .addForeignKeyConstraint(
      'channel_templates_setup_exists',
      ['organization_id', 'setup_id'],
      'blueprint_setups',
      ['organization_id', '_id'],
    )
    .execute()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable('channel_templates').execute()
  await db.schema.dropTable('characters').execute()
  await db.schema.dropTable('blueprint_setups').execute()
}
