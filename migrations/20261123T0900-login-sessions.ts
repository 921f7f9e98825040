import { type Kysely, sql } from 'kysely'

const constraints = ['sessions_primary_key', 'sessions_user_exists']

/** From now on a session is a run of a simulation; these are logins. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('sessions').renameTo('login_sessions').execute()
  for (const name of constraints) await rename(db, name, `login_${name}`)
  await sql`alter index sessions_by_user rename to login_sessions_by_user`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`alter index login_sessions_by_user rename to sessions_by_user`.execute(db)
  for (const name of constraints) await rename(db, `login_${name}`, name)
  await db.schema.alterTable('login_sessions').renameTo('sessions').execute()
}

async function rename(db: Kysely<unknown>, from: string, to: string): Promise<void> {
  const change = sql`rename constraint ${sql.ref(from)} to ${sql.ref(to)}`
  await sql`alter table login_sessions ${change}`.execute(db)
}
