import { type Kysely, sql } from 'kysely'

const batch = 5_000

/**
 * Writes the text of each event that has none, and queues it for its seal. Each batch is complete by
 * itself: where this was interrupted it goes on.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
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
  await sql`truncate unsealed_events`.execute(db)
}
