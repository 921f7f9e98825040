import { sql } from 'kysely'
import { type ParametersOf, prepare } from '../database/statements.js'
import {
  endOfChain,
  isAtBound,
  isWithinBound,
  type OfOrganization,
  totalBytes,
} from './chain-queries.js'

/** Events that are sealed at once, as far as their documents have not more than 4 MiB together. */
export const batch = 500

/** Whether more may wait than these rows of a queue. */
export function isFull(queue: { is_at_bound: boolean }[]): boolean {
  return queue.length >= batch || queue.at(-1)?.is_at_bound === true
}

/**
 * Events to be sealed, with the end of the chain as it was at the very same moment: of two who read
 * the same events, the second one then takes a number that is taken. One that is lost has no
 * document; it stays, for verification to be found.
 */
export const selectUnsealed = prepare(
  'select_unsealed_events',
  (db, { organization_id, after }: ParametersOf<OfOrganization & { after: string }>) => {
    // First, so that however many wait no more are looked at.
    const first = db
      .selectFrom('unsealed_events')
      .select('event_id')
      .where('organization_id', '=', organization_id)
      .where('event_id', '>', after)
      .orderBy('event_id')
      .limit(sql.lit(batch))
    const events = db
      .selectFrom(first.as('first'))
      .leftJoin('audit_events', (join) =>
        join.on('organization_id', '=', organization_id).onRef('_id', '=', 'event_id'),
      )
      .select(['event_id', 'document', totalBytes(sql`event_id`).as('total')])
    return db
      .selectFrom(events.as('events'))
      .select([
        'event_id',
        'document',
        isAtBound.as('is_at_bound'),
        endOfChain<number | null>(organization_id, 'sequence').as('sequence'),
        endOfChain<Uint8Array | null>(organization_id, 'hash').as('hash'),
      ])
      .where(isWithinBound)
      .orderBy('event_id')
  },
)

interface NewSeals extends OfOrganization {
  /** The number of the first one. */
  sequence: number
  event_ids: string[]
  /** In hexadecimal. */
  hashes: string[]
}

/** The seals of events that follow one another, which are not unsealed any more. */
export const insertSeals = prepare(
  'insert_audit_seals',
  (db, { organization_id, sequence, event_ids, hashes }: ParametersOf<NewSeals>) =>
    db
      .with('sealed', (db) =>
        db
          .deleteFrom('unsealed_events')
          .where('organization_id', '=', organization_id)
          .where(sql<boolean>`event_id = any(${event_ids}::uuid[])`),
      )
      .insertInto('audit_seals')
      .columns(['organization_id', 'sequence', 'event_id', 'hash'])
      .expression(
        sql`select ${organization_id}::uuid, ${sequence}::bigint + place - 1, event_id,
          decode(hash, 'hex')
          from unnest(${event_ids}::uuid[], ${hashes}::text[])
          with ordinality as seal (event_id, hash, place)`,
      ),
)

/** Organizations that have something to be sealed, sorted by id. */
export const selectOrganizationsToSeal = prepare(
  'select_organizations_to_seal',
  (db, { after }: ParametersOf<{ after: string }>) =>
    db
      .selectFrom('unsealed_events')
      .select('organization_id')
      .distinct()
      .where('organization_id', '>', after)
      .orderBy('organization_id')
      .limit(sql.lit(batch)),
)
