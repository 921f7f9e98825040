import { sql } from 'kysely'
import type { Db, Trx } from '../database/schema.js'

/** How many days an organization keeps its events by default. */
export const defaultDays = 365

export async function selectRetention(db: Db, organization_id: string) {
  const row = await db
    .selectFrom('audit_retentions')
    .select(['organization_id', 'days'])
    .where('organization_id', '=', organization_id)
    .executeTakeFirst()
  return row ?? { organization_id, days: defaultDays }
}

/**
 * The retention of an organization, locked until the transaction ends. Inserts the default if there
 * is none. With `skipLocked`, it returns undefined if another transaction has the lock.
 */
export async function lockRetention(
  trx: Trx,
  organization_id: string,
  { skipLocked = false } = {},
) {
  await trx
    .insertInto('audit_retentions')
    .values({ organization_id, days: defaultDays })
    .onConflict((conflict) => conflict.constraint('audit_retentions_primary_key').doNothing())
    .execute()
  return trx
    .selectFrom('audit_retentions')
    .select(['days', 'pruned_to'])
    .where('organization_id', '=', organization_id)
    .forUpdate()
    .$if(skipLocked, (query) => query.skipLocked())
    .executeTakeFirst()
}

export async function updateRetention(trx: Trx, organization_id: string, days: number) {
  await trx
    .updateTable('audit_retentions')
    .set({ days })
    .where('organization_id', '=', organization_id)
    .execute()
}

/** The organizations whose first event is older than their retention. */
export async function selectOrganizationsToPrune(db: Db): Promise<string[]> {
  const { rows } = await sql<{ organization_id: string }>`
    select organizations._id as organization_id from organizations
    left join audit_retentions on audit_retentions.organization_id = organizations._id
    join audit_seals on audit_seals.organization_id = organizations._id
      and audit_seals.sequence = coalesce(audit_retentions.pruned_to, 0) + 1
    join audit_events on audit_events.organization_id = organizations._id
      and audit_events._id = audit_seals.event_id
    where audit_events.created_at
      < now() - make_interval(days => coalesce(audit_retentions.days, ${defaultDays}))`.execute(db)
  return rows.map(({ organization_id }) => organization_id)
}

/** The first seals after a number, sorted by number. */
export async function selectOldestSeals(
  trx: Trx,
  organization_id: string,
  { after, limit }: { after: number; limit: number },
) {
  return trx
    .selectFrom('audit_seals')
    .select(['sequence', 'event_id', 'hash'])
    .where('organization_id', '=', organization_id)
    .where('sequence', '>', after)
    .orderBy('sequence')
    .limit(sql.lit(limit))
    .execute()
}

/**
 * Those of the events that are older than a number of days. Not a join with the seals: just after many
 * inserts the planner expects one row, and compares each seal with all events of the organization.
 */
export async function selectOld(
  trx: Trx,
  organization_id: string,
  { event_ids, days }: { event_ids: string[]; days: number },
) {
  return trx
    .selectFrom('audit_events')
    .select('_id')
    .where('organization_id', '=', organization_id)
    .where(isOneOf(event_ids))
    .where(sql<boolean>`created_at < now() - make_interval(days => ${days})`)
    .execute()
}

const isOneOf = (event_ids: string[]) => sql<boolean>`_id = any(${event_ids}::uuid[])`

interface Removal {
  organization_id: string
  event_ids: string[]
  to: { sequence: number; hash: Uint8Array }
}

/** Removes events and their seals, and stores the last number and hash that were removed. */
export async function deleteEvents(trx: Trx, { organization_id, event_ids, to }: Removal) {
  // This setting makes the trigger of the events allow it. Citus has to pass it to its nodes.
  await sql`set local citus.propagate_set_commands to 'local'`.execute(trx)
  await sql`set local audit.retention to 'on'`.execute(trx)
  await trx
    .deleteFrom('audit_events')
    .where('organization_id', '=', organization_id)
    .where(isOneOf(event_ids))
    .execute()
  await trx
    .deleteFrom('audit_seals')
    .where('organization_id', '=', organization_id)
    .where('sequence', '<=', to.sequence)
    .execute()
  await trx
    .updateTable('audit_retentions')
    .set({ pruned_to: to.sequence, pruned_hash: to.hash, pruned_at: sql<string>`now()` })
    .where('organization_id', '=', organization_id)
    .execute()
}
