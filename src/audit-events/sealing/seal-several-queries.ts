import { sql } from 'kysely'
import { type ParametersOf, prepare } from '../../database/statements.js'
import { endOfChain, isAtBound, isWithinBound, totalBytes } from '../chain/chain-queries.js'
import { sealBatchSize } from './seal-queries.js'

/** An event to seal, with the end of its chain. A lost event has no document. */
export interface QueuedEvent {
  organization_id: string
  event_id: string
  document: string | null
  is_at_bound: boolean
  sequence: number | null
  hash: Uint8Array | null
}

/**
 * The first waiting events, sorted by organization, with the end of each chain at the same moment. An
 * organization with more events than a batch fills the answer alone.
 *
 * It is planned for each execution. A plan made for a short queue would read all of a long one.
 */
export const selectQueue = prepare(
  'select_queue',
  (_db, { after }: ParametersOf<{ after: string }>) => sql<QueuedEvent>`
    with next as materialized (
      select organization_id, event_id from unsealed_events
      where organization_id > ${after} order by organization_id, event_id limit ${sql.lit(sealBatchSize)}
    ), chain as materialized (
      select organization_id, ${endOfChain(sql`organization.organization_id`, 'sequence')} as sequence,
        ${endOfChain(sql`organization.organization_id`, 'hash')} as hash
      from (select distinct organization_id from next) as organization
    ), event as (
      select next.organization_id, next.event_id, document,
        ${totalBytes(sql`next.organization_id, next.event_id`)} as total
      from next left join audit_events on audit_events.organization_id = next.organization_id
        and audit_events._id = next.event_id
    )
    select event.organization_id, event_id, document, ${isAtBound} as is_at_bound,
      sequence, hash
    from event join chain on chain.organization_id = event.organization_id
    where ${isWithinBound} order by event.organization_id, event_id`,
  { planAnew: () => true },
)

export interface Seals {
  organization_ids: string[]
  sequences: number[]
  event_ids: string[]
  /** In hexadecimal. */
  hashes: string[]
}

/** Inserts seals of several organizations. They are sorted, so that two processes do not deadlock. */
export const insertSealsOfSeveral = prepare(
  'insert_seals_of_several',
  (_db, { organization_ids, sequences, event_ids, hashes }: ParametersOf<Seals>) => sql`
    with seal as materialized (
      select * from unnest(${organization_ids}::uuid[], ${sequences}::bigint[],
        ${event_ids}::uuid[], ${hashes}::text[])
        as seal (organization_id, sequence, event_id, hash)
    ), sealed as (
      delete from unsealed_events using seal
      where unsealed_events.organization_id = seal.organization_id
        and unsealed_events.event_id = seal.event_id
    )
    insert into audit_seals (organization_id, sequence, event_id, hash)
    select organization_id, sequence, event_id, decode(hash, 'hex') from seal`,
  { planAnew: () => true },
)
