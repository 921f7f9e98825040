import { type Kysely, sql } from 'kysely'

/**
 * From now on a session is a run of a simulation; these are logins. Their constraints keep their names:
 * a cluster renames none of a table that it has spread.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('sessions').renameTo('login_sessions').execute()
  await sql`alter index sessions_by_user rename to login_sessions_by_user`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await sql`alter index login_sessions_by_user rename to sessions_by_user`.execute(db)
  await db.schema.alterTable('login_sessions').renameTo('sessions').execute()
}
