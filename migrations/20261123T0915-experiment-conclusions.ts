import { type Kysely, sql } from 'kysely'

/** How the arms are going to be compared, and what came of it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('experiments')
    .addColumn('analysis_plan', 'jsonb')
    .addColumn('conclusion', 'jsonb')
    .execute()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot drop a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await db.schema
    .alterTable('experiments')
    .dropColumn('analysis_plan')
    .dropColumn('conclusion')
    .execute()
}
