import { type Kysely, sql } from 'kysely'

/** When somebody was taken out of a session that had started. What they said stays. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot change a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await db.schema
    .alterTable('session_assignments')
    .addColumn('removed_at', 'timestamptz(3)')
    .execute()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot drop a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await db.schema.alterTable('session_assignments').dropColumn('removed_at').execute()
}
