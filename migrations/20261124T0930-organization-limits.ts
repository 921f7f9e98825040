import type { Kysely } from 'kysely'

/** The limits that an operator has set for an organization. All others have their defaults. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('organization_limits')
    .addColumn('organization_id', 'uuid', (col) => col.notNull())
    .addColumn('name', 'text', (col) => col.notNull())
    .addColumn('allowed', 'bigint', (col) => col.notNull())
    .addPrimaryKeyConstraint('organization_limits_primary_key', ['organization_id', 'name'])
    .addForeignKeyConstraint(
      'organization_limits_organization_exists',
      ['organization_id'],
      'organizations',
      ['_id'],
      (constraint) => constraint.onDelete('cascade'),
    )
    .execute()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable('organization_limits').execute()
}
