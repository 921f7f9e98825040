import { sql } from 'kysely'
import { type ParametersOf, prepare } from '../database/statements.js'
import { endOfChain, type OfOrganization } from './chain-queries.js'

/** Events that are sealed at once. */
export const batch = 500

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
    return db
      .selectFrom(first.as('first'))
      .leftJoin('audit_events', (join) =>
        join.on('organization_id', '=', organization_id).onRef('_id', '=', 'event_id'),
      )
      .select([
        'event_id',
        'document',
        endOfChain<number | null>(organization_id, 'sequence').as('sequence'),
        endOfChain<Uint8Array | null>(organization_id, 'hash').as('hash'),
      ])
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

/** Where a chain ends, and an event that comes next; one that is lost has no document. */
export interface QueuedEvent {
  organization_id: string
  event_id: string
  document: string | null
  sequence: number | null
  hash: Uint8Array | null
}

/**
 * The first events that wait, of one organization after the other, with the end of each chain at
 * the very same moment. An organization with more than a batch fills the answer alone.
 *
 * Planned for each execution: one plan from a time when hardly anything waited would read the whole
 * queue when much does.
 */
export const selectQueue = prepare(
  'select_queue',
  (_db, { after }: ParametersOf<{ after: string }>) => sql<QueuedEvent>`
    with next as materialized (
      select organization_id, event_id from unsealed_events
      where organization_id > ${after} order by organization_id, event_id limit ${sql.lit(batch)}
    ), chain as materialized (
      select organization_id, ${endOfChain(sql`organization.organization_id`, 'sequence')} as sequence,
        ${endOfChain(sql`organization.organization_id`, 'hash')} as hash
      from (select distinct organization_id from next) as organization
    )
    select next.organization_id, next.event_id, document, sequence, hash
    from next join chain on chain.organization_id = next.organization_id
    left join audit_events on audit_events.organization_id = next.organization_id
      and audit_events._id = next.event_id
    order by next.organization_id, next.event_id`,
  { planAnew: () => true },
)

export interface Seals {
  organization_ids: string[]
  sequences: number[]
  event_ids: string[]
  /** In hexadecimal. */
  hashes: string[]
}

/** Seals of several organizations, sorted by organization: two that insert at once do not deadlock. */
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
