import { type Kysely, sql } from 'kysely'

/** How many bytes an application of a blueprint keeps, so that all of them can be summed up unread. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot change a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await sql`
    alter table quick_setups add column kept_bytes integer not null
    generated always as (octet_length(result::text) + octet_length(changes::text)) stored`.execute(
    db,
  )
}

export async function down(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot drop a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await db.schema.alterTable('quick_setups').dropColumn('kept_bytes').execute()
}
