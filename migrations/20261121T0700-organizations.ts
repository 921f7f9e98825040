import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('organizations')
    .addColumn('_id', 'uuid', (col) => col.primaryKey())
    .addColumn('name', 'text', (col) => col.notNull())
    .addColumn('created_at', 'timestamptz(3)', (col) => col.notNull().defaultTo(sql`now()`))
    .addColumn('updated_at', 'timestamptz(3)', (col) => col.notNull().defaultTo(sql`now()`))
    .execute()

  await db.schema
    .createTable('brandings')
    .addColumn('organization_id', 'uuid', (col) =>
      col.primaryKey().references('organizations._id').onDelete('cascade'),
    )
    .addColumn('company_name', 'text')
    .addColumn('logo_url', 'text')
    .addColumn('primary_color', 'text')
    .addColumn('sidebar_color', 'text')
    .addColumn('departments', 'jsonb', (col) => col.notNull().defaultTo(sql`'[]'`))
    .addColumn('welcome_message', 'text')
    .addColumn('updated_at', 'timestamptz(3)', (col) => col.notNull().defaultTo(sql`now()`))
    .execute()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable('brandings').execute()
  await db.schema.dropTable('organizations').execute()
}
