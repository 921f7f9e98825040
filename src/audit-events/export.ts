import type { Kysely } from 'kysely'
import type { Pieces } from '../contract.js'
import type { FetchInTurn } from '../database/long-lists.js'
import type { Database } from '../database/schema.js'
import { type Pause, withoutPause } from '../turns/slices.js'
import { type Link, linkText } from './chain.js'
import { beginningOfTrail, endOfTrail, type Range } from './chain-queries.js'
import { type EndLine, type Format, formats } from './export-formats.js'
import { longest, selectDocuments } from './export-queries.js'
import { readParts } from './parts.js'
import type { Filters } from './queries.js'

export interface Selection {
  organization_id: string
  filters: Filters
  pause?: Pause
}

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
  const { organization_id, filters, pause = withoutPause } = selection
  const start = await beginningOfTrail(db, organization_id)
  const end = await endOfTrail(db, organization_id)
  const isFiltered = Object.values(filters).some((value) => value !== null)
  const { pieceLength, begin, write, end: finish } = formats[format]
  const whole = { organization_id, after: start.sequence, to: end.sequence }
  const most = isFiltered ? longest.filtered : longest.whole

  async function* read() {
    let count = 0
    yield begin()
    const fetch = (range: Range) => fetchInTurn(() => selectDocuments(db, { ...range, ...filters }))
    for await (const { rows } of readParts(whole, most, fetch)) {
      count += rows.length
      for (const piece of piecesOf(rows, pieceLength)) {
        yield write(piece)
        await pause()
      }
    }
    const isWhole = isFiltered || count === end.sequence - start.sequence
    const { sequence } = await beginningOfTrail(db, organization_id)
    if (!isWhole || sequence !== start.sequence) throw new Error('Events have gone meanwhile')
    yield finish(endLine(start, end, count, isFiltered))
  }
  return read()
}

/** Documents in groups that are short enough to be written and taken at once. */
function* piecesOf(rows: { document: string }[], pieceLength: number) {
  let piece: string[] = []
  let length = 0
  for (const { document } of rows) {
    piece.push(document)
    length += document.length
    if (length < pieceLength) continue
    yield piece
    piece = []
    length = 0
  }
  if (piece.length > 0) yield piece
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
