import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // No foreign key to the user: a revoked invitation outlives the account that was never used.
  await db.schema
    .createTable('invitations')
    .addColumn('organization_id', 'uuid', (col) =>
      col.notNull().references('organizations._id').onDelete('cascade'),
    )
    .addColumn('_id', 'uuid', (col) => col.notNull())
    .addColumn('user_id', 'uuid', (col) => col.notNull())
    .addColumn('email', 'text', (col) => col.notNull())
    .addColumn('full_name', 'text')
    .addColumn('role', 'text', (col) => col.notNull())
    .addColumn('token_hash', 'text')
    .addColumn('email_sent', 'boolean', (col) => col.notNull().defaultTo(false))
    .addColumn('invited_by', 'uuid')
    .addColumn('created_at', 'timestamptz(3)', (col) => col.notNull().defaultTo(sql`now()`))
    .addColumn('expires_at', 'timestamptz(3)', (col) => col.notNull())
    .addColumn('accepted_at', 'timestamptz(3)')
    .addColumn('revoked_at', 'timestamptz(3)')
    .addPrimaryKeyConstraint('invitations_primary_key', ['organization_id', '_id'])
    .addUniqueConstraint('invitations_user_unique', ['organization_id', 'user_id'])
    .addUniqueConstraint('invitations_token_unique', ['organization_id', 'token_hash'])
    .execute()
  await db.schema
    .createIndex('invitations_newest_first')
    .on('invitations')
    .columns(['organization_id', 'created_at desc', '_id desc'])
    .execute()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable('invitations').execute()
}
