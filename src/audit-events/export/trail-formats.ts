import type { Schema } from '../../contract.js'
import { csvHeader, csvLines, csvType } from '../../formats/csv.js'
import { eventColumns } from '../queries.js'

/** The last line of an NDJSON file. */
export interface EndLine {
  end: true
  count: number
  sequence: number
  hash: string
  /** The link before the first line, if retention has removed earlier events. */
  pruned?: { sequence: number; hash: string }
  /** True if a filter left out lines, so that the lines do not lead to the hash. */
  filtered?: true
}

const columns: (keyof Schema<'AuditEvent'>)[] = [...eventColumns, 'updated_at']

/** How each format writes documents, how long its pieces are, and its text before and after them. */
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

export type TrailFormat = keyof typeof formats
export const contentTypeOf = (format: TrailFormat) => formats[format].type
