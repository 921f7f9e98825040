import { type Kysely, sql } from 'kysely'

/** How often in a row a session could not go on, and why it is not tried any more. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot change a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await db.schema
    .alterTable('simulation_sessions')
    .addColumn('failures', 'integer', (col) => col.notNull().defaultTo(0))
    .addColumn('failure', 'jsonb')
    .execute()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot drop a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await db.schema
    .alterTable('simulation_sessions')
    .dropColumn('failures')
    .dropColumn('failure')
    .execute()
}
