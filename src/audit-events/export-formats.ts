import type { Schema } from '../contract.js'
import { csvHeader, csvLines, csvType } from '../csv.js'
import { eventColumns } from './queries.js'

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

const columns: (keyof Schema<'AuditEvent'>)[] = [...eventColumns, 'updated_at']

/**
 * How a format writes documents, about how much of them at once, and what stands before and after all
 * of them.
 */
export const formats = {
  ndjson: {
    type: 'application/x-ndjson; charset=utf-8',
    pieceLength: 262_144,
    begin: () => '',
    write: (documents: string[]) => documents.map((document) => `${document}\n`).join(''),
    end: (line: EndLine) => `${JSON.stringify(line)}\n`,
  },
  csv: {
    type: csvType,
    pieceLength: 65_536,
    begin: () => csvHeader(columns),
    write: (documents: string[]) =>
      csvLines(
        columns,
        documents.map((document) => JSON.parse(document)),
      ),
    end: () => '',
  },
}

export type Format = keyof typeof formats
export const typeOf = (format: Format) => formats[format].type
