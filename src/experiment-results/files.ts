import type { Pieces } from '../contract.js'
import { csvHeader, csvLines, csvType } from '../csv.js'
import type { ExperimentData } from '../database/simulation-tables.js'

type Row = Record<string, string | number | null>

/** What a file can hold: its columns, and its rows in groups. */
const parts = {
  rows: {
    columns: ['session_id', 'arm', 'block', 'outcome', 'value'],
    read: rowsOf,
  },
  codebook: {
    columns: ['outcome', 'label', 'unit', 'definition', 'source', 'role', 'direction'],
    read: codebookOf,
  },
}

export type Part = keyof typeof parts

function* rowsOf({ sessions, outcomes }: ExperimentData): Generator<Row[]> {
  for (const { outcome, values } of outcomes) {
    yield sessions.map((session, i) => ({ ...session, outcome, value: values[i] ?? null }))
  }
}

function* codebookOf({ outcomes }: ExperimentData): Generator<Row[]> {
  yield outcomes.map(({ values, ...described }) => described)
}

const formats = {
  csv: { type: csvType, begin: csvHeader, write: csvLines },
  ndjson: {
    type: 'application/x-ndjson; charset=utf-8',
    begin: () => '',
    write: (columns: string[], rows: Row[]) =>
      rows.map((row) => `${JSON.stringify(row, columns)}\n`).join(''),
  },
}

export type Format = keyof typeof formats

/** A part of the data as a file, piece by piece. */
export function fileOf(data: ExperimentData, part: Part, format: Format) {
  const { columns, read } = parts[part]
  const { type, begin, write } = formats[format]
  async function* pieces(): Pieces {
    yield begin(columns)
    for (const rows of read(data)) yield write(columns, rows)
  }
  return { type, pieces: pieces() }
}
