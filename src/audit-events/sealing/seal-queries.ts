import { sql } from 'kysely'
import { type ParametersOf, prepare } from '../../database/statements.js'
import {
  endOfChain,
  isAtBound,
  isWithinBound,
  type TrailKey,
  totalBytes,
} from '../chain/chain-queries.js'

/** The most events in one batch. Its documents have at most 4 MiB together, plus one document. */
export const sealBatchSize = 500

/** Whether more events than these may be waiting. */
export function isFull(queue: { is_at_bound: boolean }[]): boolean {
  return queue.length >= sealBatchSize || queue.at(-1)?.is_at_bound === true
}

/**
 * The events to seal, with the end of the chain at the same moment. If two processes read the same
 * events, the second one fails, because its first number is taken. A lost event has no document. It
 * stays in the queue, so that verification finds it.
 */
export const selectUnsealed = prepare(
  'select_unsealed_events',
  (db, { organization_id, after }: ParametersOf<TrailKey & { after: string }>) => {
    // Limited before the join, so that a long queue is not joined as a whole.
    const first = db
      .selectFrom('unsealed_events')
      .select('event_id')
      .where('organization_id', '=', organization_id)
      .where('event_id', '>', after)
      .orderBy('event_id')
      .limit(sql.lit(sealBatchSize))
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

interface NewSeals extends TrailKey {
  /** The number of the first event. */
  sequence: number
  event_ids: string[]
  /** In hexadecimal. */
  hashes: string[]
}

/** Inserts the seals of consecutive events, and removes the events from the queue. */
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
        sql`select ${organization_id}::uuid, ${sequence}::bigint + position - 1, event_id,
          decode(hash, 'hex')
          from unnest(${event_ids}::uuid[], ${hashes}::text[])
          with ordinality as seal (event_id, hash, position)`,
      ),
)

/** The organizations with events to seal, sorted by id. */
export const selectOrganizationsToSeal = prepare(
  'select_organizations_to_seal',
  (db, { after }: ParametersOf<{ after: string }>) =>
    db
      .selectFrom('unsealed_events')
      .select('organization_id')
      .distinct()
      .where('organization_id', '>', after)
      .orderBy('organization_id')
      .limit(sql.lit(sealBatchSize)),
)
