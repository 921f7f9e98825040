import { type Kysely, sql } from 'kysely'

/** The keys of metadata by which a scenario branches, or that others may name. */
const keys = ['only_if', 'unless', 'fallback_for', 'expectation']
const places = ['@.metadata', '@.thread_replies[*].metadata']
const branching = places.flatMap((place) => keys.map((key) => `exists(${place}.${key})`))
const path = sql.lit(`$[*] ? (${branching.join(' || ')})`)

/** A text as PostgreSQL writes it in jsonb: quotes inside it are escaped. */
const content = sql.lit('"content": "(?:[^"\\\\]|\\\\.)*"')

/**
 * The messages by which a scenario branches, without their texts, so that the check of a template need
 * not open the others of its scenario. A function of ours would have to be on each node of a cluster;
 * this expression needs none.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot change a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await sql`
    alter table channel_templates add column branches jsonb not null generated always as (
      regexp_replace(jsonb_path_query_array(message_templates, ${path})::text,
        ${content}, '"content": ""', 'g')::jsonb) stored`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot drop a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await db.schema.alterTable('channel_templates').dropColumn('branches').execute()
}
