import { type Kysely, sql } from 'kysely'

/**
 * The time of the last change of a session. Its clock does not go back before this, even if the clock of
 * the database server is set back.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot change a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await db.schema
    .alterTable('simulation_sessions')
    .addColumn('latest_at', 'timestamptz(3)')
    .execute()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot drop a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await db.schema.alterTable('simulation_sessions').dropColumn('latest_at').execute()
}
