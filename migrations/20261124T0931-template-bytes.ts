import { type Kysely, sql } from 'kysely'

/** How long the messages of a template are, so that all of them can be summed up unread. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot change a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await sql`
    alter table channel_templates add column message_bytes integer not null
    generated always as (octet_length(message_templates::text)) stored`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot drop a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await db.schema.alterTable('channel_templates').dropColumn('message_bytes').execute()
}
