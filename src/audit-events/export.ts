import type { Kysely } from 'kysely'
import type { Pieces } from '../contract.js'
import type { FetchInTurn } from '../database/long-lists.js'
import type { Database } from '../database/schema.js'
import { type Link, linkText } from './chain.js'
import { beginningOfTrail, endOfTrail, type Range } from './chain-queries.js'
import { type EndLine, type Format, formats } from './export-formats.js'
import { longest, selectDocuments } from './export-queries.js'
import type { Filters } from './queries.js'

export interface Selection {
  organization_id: string
  filters: Filters
}

/** About how much of a file is sent at once. */
const pieceLength = 262_144

/**
 * The trail as it is now, piece by piece. What is sealed does not change, so that its end is all
 * that a snapshot takes: nobody holds a transaction or a connection open for a slow reader. When
 * retention removes what is still to come, or something is missing, the file is cut off, and lacks
 * its last line.
 */
export async function exportTrail(
  db: Kysely<Database>,
  fetchInTurn: FetchInTurn,
  selection: Selection,
  format: Format,
): Promise<Pieces> {
  const { organization_id, filters } = selection
  const start = await beginningOfTrail(db, organization_id)
  const end = await endOfTrail(db, organization_id)
  const isFiltered = Object.values(filters).some((value) => value !== null)
  const { begin, write, end: finish } = formats[format]

  async function* read() {
    let count = 0
    yield begin()
    const parts = partsOf(organization_id, start, end, isFiltered)
    for await (const documents of readParts(db, fetchInTurn, parts, filters)) {
      count += documents.length
      for (const piece of piecesOf(documents)) yield write(piece)
    }
    const isWhole = isFiltered || count === end.sequence - start.sequence
    const { sequence } = await beginningOfTrail(db, organization_id)
    if (!isWhole || sequence !== start.sequence) throw new Error('Events have gone meanwhile')
    yield finish(endLine(start, end, count, isFiltered))
  }
  return read()
}

/** The documents of each part, the next ones being on their way while some are written. */
async function* readParts(
  db: Kysely<Database>,
  fetchInTurn: FetchInTurn,
  parts: Iterator<Range, undefined>,
  filters: Filters,
) {
  const fetchNext = () => {
    const { value: part } = parts.next()
    return part && fetchInTurn(() => selectDocuments(db, { ...part, ...filters }))
  }
  for (let next = fetchNext(); next; ) {
    const rows = await next
    next = fetchNext()
    // Whoever stops reading does not wait for it, and must not hear of its failure either.
    next?.catch(() => {})
    yield rows.map(({ document }) => document)
  }
}

/** Documents in groups that are short enough to be written and taken at once. */
function* piecesOf(documents: string[]) {
  let from = 0
  let length = 0
  for (const [index, document] of documents.entries()) {
    length += document.length
    if (length < pieceLength && index < documents.length - 1) continue
    yield documents.slice(from, index + 1)
    from = index + 1
    length = 0
  }
}

function* partsOf(
  organization_id: string,
  start: Link,
  end: Link,
  isFiltered: boolean,
): Generator<Range, undefined> {
  const length = isFiltered ? longest.filtered : longest.whole
  for (let after = start.sequence; after < end.sequence; after += length) {
    const to = Math.min(after + length, end.sequence)
    yield { organization_id, after, to }
  }
}

function endLine(start: Link, end: Link, count: number, isFiltered: boolean): EndLine {
  return {
    end: true,
    count,
    ...linkText(end),
    ...(start.sequence > 0 && { pruned: linkText(start) }),
    ...(isFiltered && { filtered: true }),
  }
}
