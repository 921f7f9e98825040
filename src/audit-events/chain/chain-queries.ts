import type { Expression, RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { Db } from '../../database/schema.js'
import { type ParametersOf, prepare } from '../../database/statements.js'
import { type Link, linkOf } from './chain.js'

export interface TrailKey {
  organization_id: string
}

/**
 * One column of the end of a chain: of its last seal or, without seals, of what retention has
 * removed. Each column is an expression of its own, so that both fit into any statement.
 */
export function endOfChain<T>(organization_id: Expression<string>, column: 'sequence' | 'hash') {
  const pruned = { sequence: 'pruned_to', hash: 'pruned_hash' }[column]
  return sql<T>`coalesce(
    (select ${sql.ref(column)} from audit_seals where organization_id = ${organization_id}
      order by sequence desc limit 1),
    (select ${sql.ref(pruned)} from audit_retentions where organization_id = ${organization_id}))`
}

const selectEnd = prepare(
  'select_end_of_chain',
  (_db, { organization_id }: ParametersOf<TrailKey>) => sql<{
    sequence: number | null
    hash: Uint8Array | null
  }>`select ${endOfChain(organization_id, 'sequence')} as sequence,
    ${endOfChain(organization_id, 'hash')} as hash`,
)

/** The last link of an organization's chain. */
export async function endOfTrail(db: Db, organization_id: string): Promise<Link> {
  const [end] = await selectEnd(db, { organization_id })
  return linkOf(end)
}

const selectBeginning = prepare(
  'select_beginning_of_chain',
  (db, { organization_id }: ParametersOf<TrailKey>) =>
    db
      .selectFrom('audit_retentions')
      .select(['pruned_to as sequence', 'pruned_hash as hash'])
      .where('organization_id', '=', organization_id),
)

/** The link that an organization's chain continues from: the last one that retention removed. */
export async function beginningOfTrail(db: Db, organization_id: string): Promise<Link> {
  const [pruned] = await selectBeginning(db, { organization_id })
  return linkOf(pruned)
}

/** A range of the trail: the numbers after `after`, up to and including `to`. */
export interface Range extends TrailKey {
  after: number
  to: number
}

/** The seals in a range of at most `longest` numbers. */
export function sealsIn(
  db: Db,
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
      // The planner does not know the two numbers. The limit tells it that there are few rows.
      .limit(sql.lit(longest))
  )
}

/** How many bytes of documents one statement returns, with at most one document more. */
const maxBytes = 4 * 1_048_576

/** The total length of the documents up to a row. A lost event has no document. */
export const totalBytes = (order: RawBuilder<unknown>) =>
  sql<number>`sum(coalesce(octet_length(document), 0))
    over (order by ${order} rows unbounded preceding)`

/** The rows up to the one with which `total` reaches the limit of bytes. */
export const isWithinBound = sql<boolean>`
  total - coalesce(octet_length(document), 0) < ${sql.lit(maxBytes)}`

/** Whether a row reached the limit of bytes, so that more rows may follow. */
export const isAtBound = sql<boolean>`total >= ${sql.lit(maxBytes)}`

/** The number of the row that reached the limit of bytes. Null in all other rows, to send less. */
export const endAtBound = sql<number | null>`case when ${isAtBound} then sequence end`
