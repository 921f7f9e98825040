import { type Kysely, sql } from 'kysely'

/**
 * Keeps with a message the decision that it ends, and with a session how many lines of its plan it has
 * posted, which no longer follows from its position in the plan, and which decisions its end has ended.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot change a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await db.schema.alterTable('session_messages').addColumn('decides', 'jsonb').execute()
  await db.schema
    .alterTable('simulation_sessions')
    .addColumn('posted', 'integer', (col) => col.notNull().defaultTo(0))
    .execute()
  await db.schema
    .alterTable('simulation_sessions')
    .addColumn('lapsed_beats', sql`text[]`, (col) => col.notNull().defaultTo(sql`'{}'`))
    .execute()
  await sql`update simulation_sessions set posted = next_position - withheld`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot drop a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  for (const column of ['lapsed_beats', 'posted']) {
    await db.schema.alterTable('simulation_sessions').dropColumn(column).execute()
  }
  await db.schema.alterTable('session_messages').dropColumn('decides').execute()
}
