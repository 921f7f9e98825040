import { type Kysely, sql } from 'kysely'

/** Who was invited with an address before somebody registered with it, until one of them has proven it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot change a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await db.schema
    .alterTable('email_registry')
    .addColumn('invited_organization_id', 'uuid')
    .addColumn('invited_user_id', 'uuid')
    .execute()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot drop a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await db.schema
    .alterTable('email_registry')
    .dropColumn('invited_organization_id')
    .dropColumn('invited_user_id')
    .execute()
}
