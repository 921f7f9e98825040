import { type Kysely, sql } from 'kysely'

/**
 * Counts the changes of a session's team, and keeps with each place at which of them it changed last, so
 * that event streams read the places only of sessions whose team has changed.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot change a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  for (const table of ['simulation_sessions', 'session_assignments']) {
    await db.schema
      .alterTable(table)
      .addColumn('team_seq', 'bigint', (col) => col.notNull().defaultTo(0))
      .execute()
  }
}

export async function down(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot drop a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  for (const table of ['session_assignments', 'simulation_sessions']) {
    await db.schema.alterTable(table).dropColumn('team_seq').execute()
  }
}
