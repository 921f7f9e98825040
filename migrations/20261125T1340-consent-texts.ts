import { type Kysely, sql } from 'kysely'

/**
 * The consent texts of an organization, by version, and with a place the version that its participant has
 * agreed to. Version 0 is the text of the service, which is not stored.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot change a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await db.schema
    .createTable('consent_texts')
    .addColumn('organization_id', 'uuid', (col) => col.notNull())
    .addColumn('version', 'integer', (col) => col.notNull())
    .addColumn('text', 'text', (col) => col.notNull())
    .addColumn('sha256', 'text', (col) => col.notNull())
    .addColumn('created_by', 'uuid', (col) => col.notNull())
    .addColumn('created_at', 'timestamptz(3)', (col) => col.notNull().defaultTo(sql`now()`))
    .addPrimaryKeyConstraint('consent_texts_primary_key', ['organization_id', 'version'])
    .addForeignKeyConstraint(
      'consent_texts_organization_exists',
      ['organization_id'],
      'organizations',
      ['_id'],
      (constraint) => constraint.onDelete('cascade'),
    )
    .execute()
  await db.schema
    .alterTable('session_assignments')
    .addColumn('consent_version', 'integer')
    .execute()
  await db.schema.alterTable('session_assignments').addColumn('consent_sha256', 'text').execute()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot drop a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  for (const column of ['consent_sha256', 'consent_version']) {
    await db.schema.alterTable('session_assignments').dropColumn(column).execute()
  }
  await db.schema.dropTable('consent_texts').execute()
}
