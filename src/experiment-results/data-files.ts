import type { Pieces } from '../contract.js'
import type { ExperimentData } from '../database/tables/simulation.js'
import { csvHeader, csvLines, csvType } from '../formats/csv.js'
import { jsonLine } from '../process/json-line.js'

type Row = Record<string, string | number | null>

/** The files of an export, each with its columns and a generator of its rows in batches. */
const dataFiles = {
  rows: {
    columns: ['session_id', 'arm', 'block', 'outcome', 'value'],
    read: rowsOf,
  },
  codebook: {
    columns: ['outcome', 'label', 'unit', 'definition', 'source', 'role', 'direction'],
    read: codebookOf,
  },
}

export type DataFile = keyof typeof dataFiles

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
      rows.map((row) => `${jsonLine(row, columns)}\n`).join(''),
  },
}

export type DataFormat = keyof typeof formats

/** One file of the data, written piece by piece. */
export function writeDataFile(data: ExperimentData, file: DataFile, format: DataFormat) {
  const { columns, read } = dataFiles[file]
  const { type, begin, write } = formats[format]
  async function* pieces(): Pieces {
    yield begin(columns)
    for (const rows of read(data)) yield write(columns, rows)
  }
  return { type, pieces: pieces() }
}
