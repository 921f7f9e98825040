import { type Kysely, sql, type Transaction } from 'kysely'
import type { Database } from '../database/schema.js'

type Trx = Transaction<Database>

/** For how many days an organization keeps its events unless it says otherwise. */
export const usualDays = 365

export async function selectRetention(db: Kysely<Database>, organization_id: string) {
  const row = await db
    .selectFrom('audit_retentions')
    .select(['organization_id', 'days'])
    .where('organization_id', '=', organization_id)
    .executeTakeFirst()
  return row ?? { organization_id, days: usualDays }
}

/**
 * The retention of an organization, there from now on and locked. Somebody else who has it is waited
 * for, or else it is nothing.
 */
export async function takeRetention(trx: Trx, organization_id: string, ifTaken: 'wait' | 'skip') {
  await trx
    .insertInto('audit_retentions')
    .values({ organization_id, days: usualDays })
    .onConflict((conflict) => conflict.constraint('audit_retentions_primary_key').doNothing())
    .execute()
  return trx
    .selectFrom('audit_retentions')
    .select(['days', 'pruned_to'])
    .where('organization_id', '=', organization_id)
    .forUpdate()
    .$if(ifTaken === 'skip', (query) => query.skipLocked())
    .executeTakeFirst()
}

export async function updateRetention(trx: Trx, organization_id: string, days: number) {
  await trx
    .updateTable('audit_retentions')
    .set({ days })
    .where('organization_id', '=', organization_id)
    .execute()
}

/** The organizations whose first event is older than they keep it. */
export async function selectOrganizationsToPrune(db: Kysely<Database>): Promise<string[]> {
  const { rows } = await sql<{ organization_id: string }>`
    select organizations._id as organization_id from organizations
    left join audit_retentions on audit_retentions.organization_id = organizations._id
    join audit_seals on audit_seals.organization_id = organizations._id
      and audit_seals.sequence = coalesce(audit_retentions.pruned_to, 0) + 1
    join audit_events on audit_events.organization_id = organizations._id
      and audit_events._id = audit_seals.event_id
    where audit_events.created_at
      < now() - make_interval(days => coalesce(audit_retentions.days, ${usualDays}))`.execute(db)
  return rows.map(({ organization_id }) => organization_id)
}

interface Batch {
  organization_id: string
  after: number
  days: number
  most: number
}

/**
 * The seals after a number, each with whether its event is older than so many days; null of one that
 * has lost it.
 */
export async function selectOldest(trx: Trx, { organization_id, after, days, most }: Batch) {
  return trx
    .selectFrom('audit_seals')
    .leftJoin('audit_events', (join) =>
      join
        .onRef('audit_events.organization_id', '=', 'audit_seals.organization_id')
        .onRef('audit_events._id', '=', 'audit_seals.event_id'),
    )
    .select(['sequence', 'event_id', 'hash'])
    .select(sql<boolean | null>`created_at < now() - make_interval(days => ${days})`.as('is_old'))
    .where('audit_seals.organization_id', '=', organization_id)
    .where('sequence', '>', after)
    .orderBy('sequence')
    .limit(sql.lit(most))
    .execute()
}

interface Removal {
  organization_id: string
  event_ids: string[]
  to: { sequence: number; hash: Uint8Array }
}

/** Removes events and their seals, and leaves behind how far that goes. */
export async function deleteEvents(trx: Trx, { organization_id, event_ids, to }: Removal) {
  // The events' trigger lets retention through; a cluster has to tell its nodes as well.
  await sql`set local citus.propagate_set_commands to 'local'`.execute(trx)
  await sql`set local audit.retention to 'on'`.execute(trx)
  await trx
    .deleteFrom('audit_events')
    .where('organization_id', '=', organization_id)
    .where(sql<boolean>`_id = any(${event_ids}::uuid[])`)
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

/** Frees what the queue has left behind, which the embedded database does not do by itself. */
export async function vacuumQueue(db: Kysely<Database>): Promise<void> {
  await sql`vacuum unsealed_events`.execute(db)
}
