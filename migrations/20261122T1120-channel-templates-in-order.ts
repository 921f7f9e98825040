import { type Kysely, sql } from 'kysely'

/** The order in which templates are listed, so that a page is read without sorting all of them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index channel_templates_in_order on channel_templates
    (organization_id, scenario_name collate "C", channel_name collate "C", _id)`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  // A cluster that drops indexes of many shards at once cannot drop a function after them, which
  // those who undo several migrations come to.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await db.schema.dropIndex('channel_templates_in_order').execute()
}
