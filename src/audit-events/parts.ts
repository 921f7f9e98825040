import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { FetchInTurn } from '../database/long-lists.js'
import type { Database } from '../database/schema.js'
import { type ParametersOf, prepare } from '../database/statements.js'
import { type Range, sealsIn } from './chain-queries.js'

/** How many bytes of documents are read at once. */
export const mostBytes = 4 * 1_048_576

/** Lengths are added up for so many numbers: even the longest documents of them are not more. */
const step = 50
/** For so many numbers lengths are asked at once. */
const longest = 5_000

/** How long the documents in a part of the trail are together, for each step of it. */
const selectLengths = prepare(
  'select_lengths',
  (db, { organization_id, after, to }: ParametersOf<Range>) => {
    const place = sql<number>`(sequence - ${after}::bigint - 1) / ${sql.lit(step)}`
    return db
      .selectFrom('audit_events')
      .innerJoin(sealsIn(db, { organization_id, after, to }, longest).as('part'), 'event_id', '_id')
      .select([place.as('place'), sql<number>`sum(octet_length(document))`.as('bytes')])
      .where('organization_id', '=', organization_id)
      .groupBy(sql.lit(1))
  },
)

interface Places {
  db: Kysely<Database>
  fetchInTurn: FetchInTurn
  /** How many numbers a part has at most. */
  most: number
}

/** Parts of the trail with documents of at most 4 MiB each, in their order. */
export async function* partsOf(
  { organization_id, after, to }: Range,
  { db, fetchInTurn, most }: Places,
): AsyncGenerator<Range, undefined> {
  for (let from = after; from < to; from += longest) {
    const range = { organization_id, after: from, to: Math.min(from + longest, to) }
    const isShort = range.to - range.after <= step
    const lengths = isShort ? [] : await fetchInTurn(() => selectLengths(db, range))
    yield* cut(range, new Map(lengths.map(({ place, bytes }) => [place, bytes])), most)
  }
}

function* cut(range: Range, lengths: Map<number, number>, most: number): Generator<Range> {
  let { after } = range
  let bytes = 0
  for (let to = after; to < range.to; to += step) {
    const more = lengths.get((to - range.after) / step) ?? 0
    if (to > after && (bytes + more > mostBytes || to - after >= most)) {
      yield { ...range, after, to }
      after = to
      bytes = 0
    }
    bytes += more
  }
  yield { ...range, after }
}

/** Reads parts one after the other. The next one is on its way while the caller works on one. */
export async function* readAhead<Rows>(
  parts: AsyncIterator<Range, undefined>,
  read: (part: Range) => Promise<Rows>,
): AsyncGenerator<{ part: Range; rows: Rows }> {
  const readNext = async () => {
    const { value: part } = await parts.next()
    return part && { part, rows: await read(part) }
  }
  for (let next = readNext(); ; ) {
    const current = await next
    if (!current) return
    next = readNext()
    // A caller that stops reading does not wait for it, and must not hear of its failure either.
    next.catch(() => {})
    yield current
  }
}
