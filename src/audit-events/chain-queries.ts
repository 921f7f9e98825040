import type { Expression, Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Database } from '../database/schema.js'
import { type ParametersOf, prepare } from '../database/statements.js'
import { type Link, linkOf } from './chain.js'

interface OfOrganization {
  organization_id: string
}

/** Events that are sealed at once. */
export const batch = 500

/**
 * Where a chain ends: at its last seal, or at what retention has left of it. One part of it at a
 * time, so that both fit into any statement.
 */
function endOfChain<T>(organization_id: Expression<string>, part: 'sequence' | 'hash') {
  const left = { sequence: 'pruned_to', hash: 'pruned_hash' }[part]
  return sql<T>`coalesce(
    (select ${sql.ref(part)} from audit_seals where organization_id = ${organization_id}
      order by sequence desc limit 1),
    (select ${sql.ref(left)} from audit_retentions where organization_id = ${organization_id}))`
}

const selectEnd = prepare(
  'select_end_of_chain',
  (_db, { organization_id }: ParametersOf<OfOrganization>) => sql<{
    sequence: number | null
    hash: Uint8Array | null
  }>`select ${endOfChain(organization_id, 'sequence')} as sequence,
    ${endOfChain(organization_id, 'hash')} as hash`,
)

/** Where an organization's chain ends. */
export async function endOfTrail(db: Kysely<Database>, organization_id: string): Promise<Link> {
  const [end] = await selectEnd(db, { organization_id })
  return linkOf(end)
}

const selectBeginning = prepare(
  'select_beginning_of_chain',
  (db, { organization_id }: ParametersOf<OfOrganization>) =>
    db
      .selectFrom('audit_retentions')
      .select(['pruned_to as sequence', 'pruned_hash as hash'])
      .where('organization_id', '=', organization_id),
)

/** After which link an organization's chain begins: what retention has left of those it removed. */
export async function beginningOfTrail(
  db: Kysely<Database>,
  organization_id: string,
): Promise<Link> {
  const [left] = await selectBeginning(db, { organization_id })
  return linkOf(left)
}

/** A part of the trail, after one number and up to another. */
export interface Range extends OfOrganization {
  after: number
  to: number
}

/** The seals in a part of the trail, which is at most so long. */
export function sealsIn(
  db: Kysely<Database>,
  { organization_id, after, to }: ParametersOf<Range>,
  longest: number,
) {
  return (
    db
      .selectFrom('audit_seals')
      .select(['sequence', 'event_id', 'hash'])
      .where('organization_id', '=', organization_id)
      .where('sequence', '>', after)
      .where('sequence', '<=', to)
      .orderBy('sequence')
      // Said, because PostgreSQL cannot know how little is between two numbers it does not know.
      .limit(sql.lit(longest))
  )
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

/** The organizations that have something to be sealed. */
export async function selectOrganizationsToSeal(db: Kysely<Database>): Promise<string[]> {
  const rows = await selectUnsealedOrganizations(db, {})
  return rows.map(({ organization_id }) => organization_id)
}

const selectUnsealedOrganizations = prepare('select_unsealed_organizations', (db) =>
  db.selectFrom('unsealed_events').select('organization_id').distinct().limit(sql.lit(1_000)),
)
