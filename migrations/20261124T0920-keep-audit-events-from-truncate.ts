import { type Kysely, sql } from 'kysely'

/** TRUNCATE is refused like updates and deletes: rows of it are not looked at one by one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await inTransaction(db, async (trx) => {
    await sql`
      create trigger audit_events_no_truncate before truncate on audit_events
      for each statement execute function refuse_change_of_audit_event()`.execute(trx)
  })
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await inTransaction(db, async (trx) => {
    await sql`drop trigger audit_events_no_truncate on audit_events`.execute(trx)
  })
}

/** A cluster asks to be told that a trigger looks at nothing outside its own shard. */
async function inTransaction(
  db: Kysely<unknown>,
  work: (trx: Kysely<unknown>) => Promise<void>,
): Promise<void> {
  if (!db.isTransaction) return db.transaction().execute((trx) => inTransaction(trx, work))
  await sql`set local citus.enable_unsafe_triggers to on`.execute(db)
  await work(db)
}
