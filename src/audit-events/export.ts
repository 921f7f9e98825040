import { stringify } from 'csv-stringify/sync'
import type { Kysely } from 'kysely'
import type { Pieces, Schema } from '../contract.js'
import type { FetchInTurn } from '../database/long-lists.js'
import type { Database } from '../database/schema.js'
import type { Link } from './chain.js'
import { longest, type Range, selectDocuments } from './export-queries.js'
import type { Filters } from './queries.js'
import { endOfTrail } from './seal.js'
import { beginningOfTrail } from './verify.js'

export interface Selection {
  organization_id: string
  filters: Filters
}

/** The last line of an NDJSON file. */
export interface EndLine {
  end: true
  count: number
  sequence: number
  hash: string
  /** After which place the lines begin, where retention has removed those before. */
  pruned?: { sequence: number; hash: string }
  /** Whether lines were left out, so that they do not come to the hash. */
  filtered?: true
}

/** The columns of a CSV file. */
const columns: (keyof Schema<'AuditEvent'>)[] = [
  '_id',
  'organization_id',
  'category',
  'event_type',
  'status',
  'actor_type',
  'actor_id',
  'case_id',
  'request_id',
  'conversation_id',
  'channel_id',
  'thread_id',
  'metadata',
  'created_at',
  'updated_at',
]

/** How a format writes documents, and what stands before and after all of them. */
const formats = {
  ndjson: {
    type: 'application/x-ndjson; charset=utf-8',
    begin: () => '',
    write: (documents: string[]) => documents.map((document) => `${document}\n`).join(''),
    end: (line: EndLine) => `${JSON.stringify(line)}\n`,
  },
  csv: {
    type: 'text/csv; charset=utf-8; header=present',
    begin: () => stringify([columns]),
    // A spreadsheet would run a text that begins like a formula (OWASP, CSV injection).
    write: (documents: string[]) =>
      stringify(
        documents.map((document) => JSON.parse(document)),
        { columns, escape_formulas: true },
      ),
    end: () => '',
  },
}

export type Format = keyof typeof formats
export const typeOf = (format: Format) => formats[format].type

/**
 * The trail as it is now, piece by piece. What is sealed does not change, so that its end is all
 * that a snapshot takes: nobody holds a transaction or a connection open for a slow reader. When
 * retention removes what is still to come, the file is cut off, and lacks its last line.
 */
export async function exportTrail(
  db: Kysely<Database>,
  fetchInTurn: FetchInTurn,
  { organization_id, filters }: Selection,
  format: Format,
): Promise<Pieces> {
  const start = await beginningOfTrail(db, organization_id)
  const end = await endOfTrail(db, organization_id)
  const isFiltered = Object.values(filters).some((value) => value !== null)
  const { begin, write, end: finish } = formats[format]

  async function* read() {
    const parts = partsOf(organization_id, start, end, isFiltered)
    const fetchNext = () => {
      const { value: part } = parts.next()
      return part && fetchInTurn(() => selectDocuments(db, { ...part, ...filters }))
    }
    let count = 0
    yield begin()
    for (let next = fetchNext(); next; ) {
      const rows = await next
      next = fetchNext()
      // Whoever stops reading does not wait for it, and must not hear of its failure either.
      next?.catch(() => {})
      count += rows.length
      if (rows.length > 0) yield write(rows.map(({ document }) => document))
    }
    const missing = end.sequence - start.sequence - count
    if (!isFiltered && missing > 0) throw new Error(`${missing} events have gone meanwhile`)
    yield finish(endLine(start, end, count, isFiltered))
  }
  return read()
}

function* partsOf(organization_id: string, start: Link, end: Link, isFiltered: boolean) {
  const length = isFiltered ? longest.filtered : longest.whole
  for (let after = start.sequence; after < end.sequence; after += length) {
    const to = Math.min(after + length, end.sequence)
    yield { organization_id, after, to } satisfies Range
  }
}

function endLine(start: Link, end: Link, count: number, isFiltered: boolean): EndLine {
  const text = ({ sequence, hash }: Link) => ({ sequence, hash: hash.toString('hex') })
  return {
    end: true,
    count,
    ...text(end),
    ...(start.sequence > 0 && { pruned: text(start) }),
    ...(isFiltered && { filtered: true }),
  }
}
