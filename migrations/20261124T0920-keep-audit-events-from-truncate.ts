import { type Kysely, sql } from 'kysely'

/** TRUNCATE is refused like updates and deletes: a trigger for each row does not see it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await inTransaction(db, async (trx) => {
    await sql`
      create or replace function refuse_change_of_audit_event() returns trigger
      language plpgsql as $$
      begin
        if tg_op <> 'UPDATE' and current_setting('audit.retention', true) = 'on' then
          return case tg_op when 'DELETE' then old end;
        end if;
        raise exception 'An audit event is never changed, and removed by retention only'
          using errcode = 'restrict_violation';
      end $$`.execute(trx)
    await sql`
      create trigger audit_events_no_truncate before truncate on audit_events
      for each statement execute function refuse_change_of_audit_event()`.execute(trx)
  })
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await inTransaction(db, async (trx) => {
    await sql`drop trigger audit_events_no_truncate on audit_events`.execute(trx)
    await sql`
      create or replace function refuse_change_of_audit_event() returns trigger
      language plpgsql as $$
      begin
        if tg_op = 'DELETE' and current_setting('audit.retention', true) = 'on' then
          return old;
        end if;
        raise exception 'An audit event is never changed, and removed by retention only'
          using errcode = 'restrict_violation';
      end $$`.execute(trx)
  })
}

/** A cluster asks to be told that a trigger looks at nothing outside its own shard. */
async function inTransaction(
  db: Kysely<unknown>,
  work: (trx: Kysely<unknown>) => Promise<void>,
): Promise<void> {
  if (!db.isTransaction) return db.transaction().execute((trx) => inTransaction(trx, work))
  await sql`set local citus.enable_unsafe_triggers to on`.execute(db)
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await work(db)
}
