import { type Kysely, sql } from 'kysely'

/** The texts in the JSON list that a path finds in the messages. Ids need no quotes or brackets. */
const ids = sql`string_to_array(translate((
  jsonb_path_query_array(message_templates, '$[*].sender_character_id')
  || jsonb_path_query_array(message_templates, '$[*].thread_replies[*].sender_character_id')
)::text, '[]" ', ''), ',')`

/**
 * Who speaks in a template, so that a reader need not open its messages. The ids are the keys of an
 * object, because an object has each key once. A function of ours would have to be on each node of
 * a cluster; this expression needs none.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot change a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await sql`
    alter table channel_templates add column sender_ids jsonb not null generated always as (
      jsonb_object(${ids}, array_fill(null::text, array[cardinality(${ids})]))) stored`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot drop a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await db.schema.alterTable('channel_templates').dropColumn('sender_ids').execute()
}
