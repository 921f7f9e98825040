import { type Kysely, sql } from 'kysely'

/** Finds the refresh tokens and login sessions of all organizations that are old enough to be deleted. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot change a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await db.schema
    .createIndex('refresh_tokens_by_use')
    .on('refresh_tokens')
    .column('used_at')
    .where(sql.ref('used_at'), 'is not', null)
    .execute()
  await db.schema
    .createIndex('login_sessions_by_expiry')
    .on('login_sessions')
    .column('expires_at')
    .execute()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot drop a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await db.schema.dropIndex('login_sessions_by_expiry').execute()
  await db.schema.dropIndex('refresh_tokens_by_use').execute()
}
