import { sql } from 'kysely'
import type { Db } from '../../database/schema.js'
import { type ParametersOf, prepare } from '../../database/statements.js'
import {
  endAtBound,
  isWithinBound,
  type Range,
  sealsIn,
  totalBytes,
} from '../chain/chain-queries.js'
import { eventColumns } from '../queries.js'

/** How many numbers of the trail one statement reads. */
export const partLength = 1_000

/**
 * The seals in a part of the trail with their events, up to 4 MiB of documents. The columns of a
 * missing event are null.
 */
export const selectSealed = prepare('select_sealed_events', (db, part: ParametersOf<Range>) => {
  const events = db
    .selectFrom(sealsIn(db, part, partLength).as('part'))
    .leftJoin('audit_events', (join) =>
      join.on('organization_id', '=', part.organization_id).onRef('_id', '=', 'event_id'),
    )
    .select(['sequence', 'event_id', 'hash', 'document'])
    .select(eventColumns.map((column) => `audit_events.${column}` as const))
    .select(totalBytes(sql`sequence`).as('total'))
  return db
    .selectFrom(events.as('events'))
    .select(['sequence', 'event_id', 'hash', 'document', ...eventColumns])
    .select(endAtBound.as('end_at_bound'))
    .where(isWithinBound)
    .orderBy('sequence')
})

/** Whether retention has recorded that it removed the trail up to this number. */
export async function isPruningRecorded(
  db: Db,
  organization_id: string,
  to: { sequence: number; hash: string },
): Promise<boolean> {
  const event = await db
    .selectFrom('audit_events')
    .select('_id')
    .where('organization_id', '=', organization_id)
    .where('category', '=', 'audit')
    .where('event_type', '=', 'audit_pruned')
    .where('actor_type', '=', 'system')
    .where(sql<boolean>`metadata @> ${JSON.stringify({ to: to.sequence, hash: to.hash })}::jsonb`)
    .executeTakeFirst()
  return event !== undefined
}

/**
 * The id of an event that is neither sealed nor waiting to be sealed. The caller has checked that
 * after `after` each seal has its own event. So such an event exists if there are more events than
 * seals and waiting events.
 */
export async function selectInserted(
  db: Db,
  organization_id: string,
  after: number,
): Promise<string | null> {
  const { rows } = await sql<{ inserted: number }>`
    select (select count(*) from audit_events where organization_id = ${organization_id})
      - (select count(*) from audit_seals
        where organization_id = ${organization_id} and sequence > ${after})
      - (select count(*) from unsealed_events as queued join audit_events as event
          on event.organization_id = queued.organization_id and event._id = queued.event_id
        where queued.organization_id = ${organization_id}
          and not exists (select from audit_seals as seal
            where seal.organization_id = ${organization_id} and seal.event_id = queued.event_id)
        ) as inserted`.execute(db)
  if (rows[0]?.inserted === 0) return null
  const event = await db
    .selectFrom('audit_events')
    .select('_id')
    .where('organization_id', '=', organization_id)
    .where((eb) => eb.not(eb.exists(markOf('audit_seals'))))
    .where((eb) => eb.not(eb.exists(markOf('unsealed_events'))))
    .orderBy('_id')
    .limit(sql.lit(1))
    .executeTakeFirst()
  return event?._id ?? null
}

const markOf = (table: 'audit_seals' | 'unsealed_events') => sql`
  (select from ${sql.table(table)} as mark
    where mark.organization_id = audit_events.organization_id and event_id = audit_events._id)`

/** The id of an event that was deleted before it was sealed. */
export async function selectLost(db: Db, organization_id: string): Promise<string | null> {
  const { rows } = await sql<{ event_id: string }>`
    select event_id from unsealed_events as queued
    where organization_id = ${organization_id} and not exists (select from audit_events as event
      where event.organization_id = ${organization_id} and event._id = queued.event_id)
    limit 1`.execute(db)
  return rows[0]?.event_id ?? null
}
