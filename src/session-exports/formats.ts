import { csvHeader, csvLines, csvType } from '../formats/csv.js'
import { jsonLine } from '../process/json-line.js'
import type { TrainerMessage } from '../trainer-messages/queries.js'
import type { ExportedMessage } from './queries.js'
import {
  decisionRecords,
  messageRecords,
  noteRecords,
  participantRecords,
  pauseRecords,
  ratingRecords,
  type SessionFile,
  selfRatingRecords,
  sessionRecord,
  wordRecords,
} from './records.js'
import { columnsOf, criterionRows } from './table.js'
import { statementsOf } from './xapi.js'

/** Keeps a piece short enough not to block the event loop for long. */
const recordsPerPiece = 500

/** Writes a session: the records before its messages, batches of messages, the records after them. */
interface ExportFormat {
  type: string
  extension: string
  /** Yields pieces, each written on demand. */
  begin(file: SessionFile): Iterable<string>
  write(file: SessionFile, messages: ExportedMessage[]): string
  /** The separator between two batches of messages. */
  between: string
  /** Writes a batch of private words. */
  writeWords(file: SessionFile, words: TrainerMessage[]): string
  /** Yields pieces, each written on demand. */
  end(file: SessionFile): Iterable<string>
}

const ndjson: ExportFormat = {
  type: 'application/x-ndjson; charset=utf-8',
  extension: 'ndjson',
  *begin(file) {
    yield jsonLines([sessionRecord(file)])
    for (const places of batchesOf(file.places)) yield jsonLines(participantRecords(file, places))
  },
  write: (file, messages) => jsonLines(messageRecords(file, messages)),
  between: '',
  writeWords: (file, words) => jsonLines(wordRecords(file, words)),
  *end(file) {
    for (const records of recordsAfterMessages(file)) yield jsonLines(records)
    yield jsonLines([endRecord(file)])
  },
}

function* recordsAfterMessages(file: SessionFile): Generator<object[]> {
  for (const pauses of batchesOf(file.pauses)) yield pauseRecords(pauses)
  yield decisionRecords(file)
  for (const notes of batchesOf(file.notes)) yield noteRecords(file, notes)
  for (const ratings of batchesOf(file.ratings)) yield ratingRecords(file, ratings)
  for (const own of batchesOf(file.self_ratings)) yield selfRatingRecords(file, own)
}

function* batchesOf<Row>(rows: Row[]): Generator<Row[]> {
  for (let first = 0; first < rows.length; first += recordsPerPiece) {
    yield rows.slice(first, first + recordsPerPiece)
  }
}

const jsonLines = (records: object[]) => records.map((one) => `${jsonLine(one)}\n`).join('')

const endRecord = (file: SessionFile) => ({
  record: 'end',
  participants: file.places.length,
  messages: file.session.last_seq,
  pauses: file.pauses.length,
  decisions: file.decisions.length,
  notes: file.notes.length,
  ratings: file.ratings.length,
  self_ratings: selfRatingRecords(file, file.self_ratings).length,
  trainer_messages: file.words,
})

const csv: ExportFormat = {
  type: csvType,
  extension: 'csv',
  *begin(file) {
    yield csvHeader(columnsOf(file))
    yield rows(file, [sessionRecord(file), ...criterionRows(file)])
    for (const places of batchesOf(file.places)) yield rows(file, participantRecords(file, places))
  },
  write: (file, messages) => rows(file, messageRecords(file, messages)),
  between: '',
  writeWords: (file, words) => rows(file, wordRecords(file, words)),
  *end(file) {
    for (const records of recordsAfterMessages(file)) yield rows(file, records)
  },
}

function rows(file: SessionFile, records: object[]): string {
  const { _id: session_id } = file.session
  return csvLines(
    columnsOf(file),
    records.map((record) => ({ session_id, ...record })),
  )
}

const xapi: ExportFormat = {
  type: 'application/json; charset=utf-8',
  extension: 'json',
  begin: () => ['[\n'],
  write: (file, messages) =>
    statementsOf(file, messages)
      .map((statement) => jsonLine(statement))
      .join(',\n'),
  between: ',\n',
  writeWords: () => '',
  end: () => ['\n]\n'],
}

export const formats = { ndjson, csv, xapi }
