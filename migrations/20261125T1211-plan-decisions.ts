import { type Kysely, sql } from 'kysely'

/**
 * How the lines of a plan depend on decisions: under which conditions a line is posted, which decision
 * it acknowledges or lets lapse, and for a line that asks, the option that its decision falls back to.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot change a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await db.schema.alterTable('session_plan').addColumn('conditions', 'jsonb').execute()
  for (const column of ['fallback_option', 'acknowledges', 'lapses']) {
    await db.schema.alterTable('session_plan').addColumn(column, 'text').execute()
  }
  await db.schema
    .createIndex('session_plan_acknowledgements')
    .on('session_plan')
    .columns(['organization_id', 'session_id', 'acknowledges'])
    .where(sql.ref('acknowledges'), 'is not', null)
    .execute()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot drop a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await db.schema.dropIndex('session_plan_acknowledgements').execute()
  for (const column of ['lapses', 'acknowledges', 'fallback_option', 'conditions']) {
    await db.schema.alterTable('session_plan').dropColumn(column).execute()
  }
}
