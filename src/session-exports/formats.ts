import { csvHeader, csvLines, csvType } from '../formats/csv.js'
import type { ExportedMessage } from './queries.js'
import {
  messageRecords,
  participantRecords,
  ratingRecords,
  type SessionFile,
  sessionRecord,
} from './records.js'
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
  *end(file) {
    for (const ratings of batchesOf(file.ratings)) yield jsonLines(ratingRecords(file, ratings))
    yield jsonLines([endRecord(file)])
  },
}

function* batchesOf<Row>(rows: Row[]): Generator<Row[]> {
  for (let first = 0; first < rows.length; first += recordsPerPiece) {
    yield rows.slice(first, first + recordsPerPiece)
  }
}

const jsonLines = (records: object[]) => records.map((one) => `${JSON.stringify(one)}\n`).join('')

const endRecord = ({ places, session, ratings }: SessionFile) => ({
  record: 'end',
  participants: places.length,
  messages: session.last_seq,
  ratings: ratings.length,
})

const columns = [
  'record',
  'session_id',
  'pseudonym',
  'role_key',
  'role_title',
  'joined_at',
  'left_at',
  'seq',
  'message_id',
  'conversation_id',
  'channel_name',
  'thread_id',
  'sender_kind',
  'character_id',
  'character_name',
  'injected',
  'kind',
  'beat',
  'offset_ms',
  'posted_at',
  'content',
  'rater',
  'criterion',
  'value',
  'comment',
  'rated_at',
]
const nameColumns = ['user_id', 'full_name', 'rater_id', 'rater_name']

const csv: ExportFormat = {
  type: csvType,
  extension: 'csv',
  *begin(file) {
    yield csvHeader(columnsOf(file))
    for (const places of batchesOf(file.places)) yield rows(file, participantRecords(file, places))
  },
  write: (file, messages) => rows(file, messageRecords(file, messages)),
  between: '',
  *end(file) {
    for (const ratings of batchesOf(file.ratings)) yield rows(file, ratingRecords(file, ratings))
  },
}

const columnsOf = ({ isNamed }: SessionFile) => (isNamed ? [...columns, ...nameColumns] : columns)

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
      .map((statement) => JSON.stringify(statement))
      .join(',\n'),
  between: ',\n',
  end: () => ['\n]\n'],
}

export const formats = { ndjson, csv, xapi }
