import { type Kysely, sql } from 'kysely'

/**
 * Users without an account, who belong to one session and are deleted with it. There is no foreign key: a
 * cluster may have distributed the users before it gets a table of sessions.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot change a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await db.schema.alterTable('users').addColumn('guest_of', 'uuid').execute()
  await db.schema
    .createIndex('users_by_guest_of')
    .on('users')
    .columns(['organization_id', 'guest_of'])
    .where(sql.ref('guest_of'), 'is not', null)
    .execute()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot drop a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await db.schema.dropIndex('users_by_guest_of').execute()
  await sql`delete from users where guest_of is not null`.execute(db)
  await db.schema.alterTable('users').dropColumn('guest_of').execute()
}
