import { type Kysely, sql } from 'kysely'
import type { Database } from '../database/schema.js'
import { type ParametersOf, prepare } from '../database/statements.js'
import { endAtBound, isWithinBound, type Range, sealsIn, totalBytes } from './chain-queries.js'
import { eventColumns } from './queries.js'

/** Numbers of the trail that are read at once. */
export const window = 1_000

/**
 * The seals in a part of the trail, each with its event, up to 4 MiB of documents. One that has lost
 * its event has nulls instead.
 */
export const selectSealed = prepare('select_sealed_events', (db, part: ParametersOf<Range>) => {
  const events = db
    .selectFrom(sealsIn(db, part, window).as('part'))
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

/** Whether retention itself has recorded that it removed everything up to there. */
export async function isPruningRecorded(
  db: Kysely<Database>,
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
 * An event that is neither in the chain nor about to be. In a chain that was walked from `after` to
 * its end each seal has an event, and no event has two: there is one if there are more events.
 */
export async function selectStranger(
  db: Kysely<Database>,
  organization_id: string,
  after: number,
): Promise<string | null> {
  const { rows } = await sql<{ strangers: number }>`
    select (select count(*) from audit_events where organization_id = ${organization_id})
      - (select count(*) from audit_seals
        where organization_id = ${organization_id} and sequence > ${after})
      - (select count(*) from unsealed_events as queued join audit_events as event
          on event.organization_id = queued.organization_id and event._id = queued.event_id
        where queued.organization_id = ${organization_id}
          and not exists (select from audit_seals as seal
            where seal.organization_id = ${organization_id} and seal.event_id = queued.event_id)
        ) as strangers`.execute(db)
  if (rows[0]?.strangers === 0) return null
  const stranger = await db
    .selectFrom('audit_events')
    .select('_id')
    .where('organization_id', '=', organization_id)
    .where((eb) => eb.not(eb.exists(ofEvent('audit_seals'))))
    .where((eb) => eb.not(eb.exists(ofEvent('unsealed_events'))))
    .orderBy('_id')
    .limit(sql.lit(1))
    .executeTakeFirst()
  return stranger?._id ?? null
}

const ofEvent = (table: 'audit_seals' | 'unsealed_events') => sql`
  (select from ${sql.table(table)} as mark
    where mark.organization_id = audit_events.organization_id and event_id = audit_events._id)`

/** An event that was deleted before it came into the chain. */
export async function selectLost(
  db: Kysely<Database>,
  organization_id: string,
): Promise<string | null> {
  const { rows } = await sql<{ event_id: string }>`
    select event_id from unsealed_events as queued
    where organization_id = ${organization_id} and not exists (select from audit_events as event
      where event.organization_id = ${organization_id} and event._id = queued.event_id)
    limit 1`.execute(db)
  return rows[0]?.event_id ?? null
}
