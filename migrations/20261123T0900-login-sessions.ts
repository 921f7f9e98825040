import { type Kysely, sql } from 'kysely'

/** From now on a session is a run of a simulation; these are logins. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await rename(db, 'sessions', 'login_sessions')
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await rename(db, 'login_sessions', 'sessions')
}

/** A cluster renames no constraint of a table that it has spread, but the index of one. */
async function rename(db: Kysely<unknown>, from: string, to: string): Promise<void> {
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await db.schema.alterTable(from).dropConstraint(`${from}_user_exists`).execute()
  await db.schema.alterTable(from).renameTo(to).execute()
  for (const index of ['primary_key', 'by_user']) {
    const names = [sql.ref(`${from}_${index}`), sql.ref(`${to}_${index}`)]
    await sql`alter index ${names[0]} rename to ${names[1]}`.execute(db)
  }
  await db.schema
    .alterTable(to)
    .addForeignKeyConstraint(`${to}_user_exists`, ['organization_id', 'user_id'], 'users', [
      'organization_id',
      '_id',
    ])
    .onDelete('cascade')
    .execute()
}
