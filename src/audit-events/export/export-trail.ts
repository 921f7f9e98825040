import type { Pieces } from '../../contract.js'
import type { FetchInTurn } from '../../database/lists/long-lists.js'
import type { Db } from '../../database/schema.js'
import { type Pause, withoutPause } from '../../turns/slices.js'
import { type Link, linkText } from '../chain/chain.js'
import { beginningOfTrail, endOfTrail, type Range } from '../chain/chain-queries.js'
import { readParts } from '../chain/trail-parts.js'
import type { Filters } from '../queries.js'
import { maxNumbers, selectDocuments } from './queries.js'
import { type EndLine, formats, type TrailFormat } from './trail-formats.js'

export interface Selection {
  organization_id: string
  filters: Filters
  pause?: Pause
}

/**
 * Returns the trail as it is now, piece by piece. Sealed events do not change, so the end of the chain
 * is enough for a snapshot. A slow reader holds no transaction and no connection. If retention
 * removes events that are still to come, or an event is missing, the file is cut off and lacks its
 * last line.
 */
export async function exportTrail(
  db: Db,
  fetchInTurn: FetchInTurn,
  selection: Selection,
  format: TrailFormat,
): Promise<Pieces> {
  const { organization_id, filters, pause = withoutPause } = selection
  const start = await beginningOfTrail(db, organization_id)
  const end = await endOfTrail(db, organization_id)
  const isFiltered = Object.values(filters).some((value) => value !== null)
  const { pieceLength, begin, write, end: finish } = formats[format]
  const whole = { organization_id, after: start.sequence, to: end.sequence }
  const partLength = isFiltered ? maxNumbers.filtered : maxNumbers.whole

  async function* read() {
    let count = 0
    yield begin()
    const fetch = (range: Range) => fetchInTurn(() => selectDocuments(db, { ...range, ...filters }))
    for await (const { rows } of readParts(whole, partLength, fetch)) {
      count += rows.length
      for (const piece of piecesOf(rows, pieceLength)) {
        yield write(piece)
        await pause()
      }
    }
    const isWhole = isFiltered || count === end.sequence - start.sequence
    const { sequence } = await beginningOfTrail(db, organization_id)
    if (!isWhole || sequence !== start.sequence) throw new Error('Events of the export are missing')
    yield finish(endLine(start, end, count, isFiltered))
  }
  return read()
}

/** Groups documents into pieces, so that writing one does not block other requests for long. */
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
