import { type Kysely, sql } from 'kysely'

/**
 * Which e-mail addresses are verified, and which organizations may send letters. Those that exist already
 * may go on.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot change a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await db.schema
    .alterTable('organizations')
    .addColumn('verified_at', 'timestamptz(3)', (col) => col.defaultTo(sql`now()`))
    .execute()
  await db.schema.alterTable('users').addColumn('email_verified_at', 'timestamptz(3)').execute()
  // They used the link in their letter.
  await sql`
    update users set email_verified_at = accepted_at from invitations as invitation
    where users.organization_id = invitation.organization_id and users._id = invitation.user_id
    and email_sent and accepted_at is not null`.execute(db)
  await db.schema
    .createTable('email_verifications')
    .addColumn('organization_id', 'uuid', (col) => col.notNull())
    .addColumn('user_id', 'uuid', (col) => col.notNull())
    .addColumn('token_hash', 'text', (col) => col.notNull())
    .addColumn('created_at', 'timestamptz(3)', (col) => col.notNull().defaultTo(sql`now()`))
    .addColumn('expires_at', 'timestamptz(3)', (col) => col.notNull())
    .addPrimaryKeyConstraint('email_verifications_primary_key', ['organization_id', 'user_id'])
    .addForeignKeyConstraint(
      'email_verifications_user_exists',
      ['organization_id', 'user_id'],
      'users',
      ['organization_id', '_id'],
      (constraint) => constraint.onDelete('cascade'),
    )
    .execute()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot drop a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await db.schema.dropTable('email_verifications').execute()
  await db.schema.alterTable('users').dropColumn('email_verified_at').execute()
  await db.schema.alterTable('organizations').dropColumn('verified_at').execute()
}
