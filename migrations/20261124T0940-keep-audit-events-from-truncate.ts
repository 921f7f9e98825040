import { type Kysely, sql } from 'kysely'

/**
 * TRUNCATE of audit events is refused like UPDATE and DELETE: the trigger for each row does not see
 * it. The function stays as it is, because a cluster cannot change it here.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await allowTriggers(db)
  await sql`
    create trigger audit_events_no_truncate before truncate on audit_events
    for each statement when (coalesce(current_setting('audit.retention', true), '') <> 'on')
    execute function refuse_change_of_audit_event()`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await allowTriggers(db)
  await sql`drop trigger audit_events_no_truncate on audit_events`.execute(db)
}

/** A cluster asks to be told that a trigger looks at rows of its own shard only. */
async function allowTriggers(db: Kysely<unknown>): Promise<void> {
  await sql`set local citus.enable_unsafe_triggers to on`.execute(db)
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
}
