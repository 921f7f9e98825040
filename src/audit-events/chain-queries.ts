import type { Expression, Kysely, RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { Database } from '../database/schema.js'
import { type ParametersOf, prepare } from '../database/statements.js'
import { type Link, linkOf } from './chain.js'

export interface OfOrganization {
  organization_id: string
}

/**
 * Where a chain ends: at its last seal, or at what retention has left of it. One part of it at a
 * time, so that both fit into any statement.
 */
export function endOfChain<T>(organization_id: Expression<string>, part: 'sequence' | 'hash') {
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

/** How many bytes of documents one statement returns, with at most one document more. */
const mostBytes = 4 * 1_048_576

/** How long the document of a row is together with those before it. A lost event has none. */
export const totalBytes = (order: RawBuilder<unknown>) =>
  sql<number>`sum(coalesce(octet_length(document), 0))
    over (order by ${order} rows unbounded preceding)`

/** The rows up to the one with which their documents reach the bound; `total` is their length. */
export const isWithinBound = sql<boolean>`
  total - coalesce(octet_length(document), 0) < ${sql.lit(mostBytes)}`

/** Whether a statement has ended with a row because of the bound, so that more may follow. */
export const isAtBound = sql<boolean>`total >= ${sql.lit(mostBytes)}`

/** The number at which the bound has ended a statement. Null in all other rows, which costs least. */
export const endAtBound = sql<number | null>`case when ${isAtBound} then sequence end`
