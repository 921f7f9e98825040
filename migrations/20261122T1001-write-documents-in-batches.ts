import { type Kysely, sql } from 'kysely'

const batch = 5_000

/**
 * Writes the text of each event that has none, and queues it for its seal. Each batch is complete by
 * itself: where this was interrupted it goes on. From then on nothing changes or removes an event by
 * mistake but retention, which says so; whoever does it on purpose is found out by the chain.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await writeAllDocuments(db)
  await inTransaction(db, async (trx) => {
    // What services of before have recorded meanwhile; from here on they wait.
    await sql`lock table audit_events in share row exclusive mode`.execute(trx)
    await writeAllDocuments(trx)
    await sql`alter table audit_events alter column document set not null`.execute(trx)
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
    await sql`
      create trigger audit_events_append_only before update or delete on audit_events
      for each row execute function refuse_change_of_audit_event()`.execute(trx)
  })
}

/** A cluster asks to be told that a trigger looks at rows of its own shard only. */
async function inTransaction(
  db: Kysely<unknown>,
  work: (trx: Kysely<unknown>) => Promise<void>,
): Promise<void> {
  if (!db.isTransaction) return db.transaction().execute((trx) => inTransaction(trx, work))
  await sql`set local citus.enable_unsafe_triggers to on`.execute(db)
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await work(db)
}

async function writeAllDocuments(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ _id: string }>`select _id from organizations`.execute(db)
  for (const { _id: organization_id } of rows) {
    let after: string | null = null
    do after = await writeDocuments(db, organization_id, after)
    while (after)
  }
}

/** The last event of the batch; null when there is no further one. */
async function writeDocuments(db: Kysely<unknown>, organization_id: string, after: string | null) {
  const { rows } = await sql<{ last: string | null }>`
    with batch as (
      select _id, document is null as is_open from audit_events
      where organization_id = ${organization_id}
        and _id > coalesce(${after}::uuid, '00000000-0000-0000-0000-000000000000')
      order by _id limit ${sql.lit(batch)}
    ), written as (
      update audit_events set document = (
        select row_to_json(event)::text from (
          select audit_events._id, audit_events.organization_id, category, event_type, status,
            actor_type, actor_id, case_id, request_id, conversation_id, channel_id, thread_id,
            metadata, ${time} as created_at, ${time} as updated_at
        ) as event
      ) from batch
      where organization_id = ${organization_id} and audit_events._id = batch._id and is_open
      returning audit_events.organization_id, audit_events._id
    ), queued as (
      insert into unsealed_events (organization_id, event_id)
      select organization_id, _id from written
    )
    select _id as last from batch order by _id desc limit 1`.execute(db)
  return rows[0]?.last ?? null
}

const time = sql`to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** The texts go with their column. */
export async function down(db: Kysely<unknown>): Promise<void> {
  await inTransaction(db, async (trx) => {
    await sql`drop trigger audit_events_append_only on audit_events`.execute(trx)
    // A cluster leaves triggers of TRUNCATE on its shards, which are dropped with it.
    await sql`drop function refuse_change_of_audit_event() cascade`.execute(trx)
    await sql`alter table audit_events alter column document drop not null`.execute(trx)
    await sql`delete from unsealed_events`.execute(trx)
  })
}
