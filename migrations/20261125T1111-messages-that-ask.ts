import { type Kysely, sql } from 'kysely'

/** The messages of a session that ask something are few: a list of them reads no others. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot change a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await db.schema
    .createIndex('session_messages_asking')
    .on('session_messages')
    .columns(['organization_id', 'session_id', 'seq'])
    .where(sql.ref('expectation'), 'is not', null)
    .execute()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot drop a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await db.schema.dropIndex('session_messages_asking').execute()
}
