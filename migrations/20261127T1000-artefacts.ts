import { type Kysely, sql } from 'kysely'

const tables = ['session_plan', 'session_messages']

/** The document that a prepared message shows, such as a letter or a printout. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot change a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  for (const table of tables) {
    await db.schema.alterTable(table).addColumn('artefact', 'jsonb').execute()
  }
}

export async function down(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot drop a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  for (const table of tables) await db.schema.alterTable(table).dropColumn('artefact').execute()
}
