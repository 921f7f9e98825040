import { type Kysely, sql } from 'kysely'

/** When a participant last posted a message, so that a list of participants reads no messages. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot change a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await db.schema
    .alterTable('session_assignments')
    .addColumn('last_spoke_at', 'timestamptz(3)')
    .execute()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot drop a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await db.schema.alterTable('session_assignments').dropColumn('last_spoke_at').execute()
}
