import { type Kysely, sql } from 'kysely'

/** A cluster asks to be told that a trigger looks at rows of its own shard only. */
async function allowTriggers(db: Kysely<unknown>): Promise<void> {
  await sql`set local citus.enable_unsafe_triggers to on`.execute(db)
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
}

/**
 * Nothing changes or removes an event by mistake but retention, which says so. Whoever does it on
 * purpose is found out by the chain.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await allowTriggers(db)
  await sql`alter table audit_events alter column document set not null`.execute(db)
  await sql`
    create function refuse_change_of_audit_event() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' and current_setting('audit.retention', true) = 'on' then
        return old;
      end if;
      raise exception 'An audit event is never changed, and removed by retention only'
        using errcode = 'restrict_violation';
    end $$`.execute(db)
  await sql`
    create trigger audit_events_append_only before update or delete on audit_events
    for each row execute function refuse_change_of_audit_event()`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await allowTriggers(db)
  await sql`drop trigger audit_events_append_only on audit_events`.execute(db)
  await sql`drop function refuse_change_of_audit_event()`.execute(db)
  await sql`alter table audit_events alter column document drop not null`.execute(db)
}
