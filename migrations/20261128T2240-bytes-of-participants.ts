import { type Kysely, sql } from 'kysely'

/** How many bytes of messages and private words a participant has sent in a session. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot change a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await db.schema
    .alterTable('session_assignments')
    .addColumn('stored_bytes', 'bigint', (col) => col.notNull().defaultTo(0))
    .execute()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot drop a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await db.schema.alterTable('session_assignments').dropColumn('stored_bytes').execute()
}
