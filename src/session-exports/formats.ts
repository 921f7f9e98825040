import { csvHeader, csvLines, csvType } from '../csv.js'
import type { ExportedMessage } from './queries.js'
import {
  messageRecords,
  participantRecords,
  ratingRecords,
  type SessionFile,
  sessionRecord,
} from './records.js'
import { statementsOf } from './xapi.js'

/** How many records are written in one piece, so that one piece keeps the event loop busy shortly. */
const recordsAtOnce = 500

/** How a format writes a session: what comes before its messages, some of them, and what comes after. */
interface Format {
  type: string
  extension: string
  /** In pieces, each of which is written when it is asked for. */
  begin(file: SessionFile): Iterable<string>
  write(file: SessionFile, messages: ExportedMessage[]): string
  /** What stands between two pieces of messages. */
  between: string
  /** In pieces, each of which is written when it is asked for. */
  end(file: SessionFile): Iterable<string>
}

const ndjson: Format = {
  type: 'application/x-ndjson; charset=utf-8',
  extension: 'ndjson',
  *begin(file) {
    yield jsonLines([sessionRecord(file)])
    for (const places of partsOf(file.places)) yield jsonLines(participantRecords(file, places))
  },
  write: (file, messages) => jsonLines(messageRecords(file, messages)),
  between: '',
  *end(file) {
    for (const ratings of partsOf(file.ratings)) yield jsonLines(ratingRecords(file, ratings))
    yield jsonLines([endRecord(file)])
  },
}

function* partsOf<Row>(rows: Row[]): Generator<Row[]> {
  for (let first = 0; first < rows.length; first += recordsAtOnce) {
    yield rows.slice(first, first + recordsAtOnce)
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
  ...['record', 'session_id', 'pseudonym', 'role_key', 'role_title', 'joined_at', 'left_at'],
  ...['seq', 'message_id', 'conversation_id', 'channel_name', 'thread_id', 'sender_kind'],
  ...['character_id', 'character_name', 'injected', 'kind', 'beat', 'offset_ms', 'posted_at'],
  ...['content', 'rater', 'criterion', 'value', 'comment', 'rated_at'],
]
const nameColumns = ['user_id', 'full_name', 'rater_id', 'rater_name']

const csv: Format = {
  type: csvType,
  extension: 'csv',
  *begin(file) {
    yield csvHeader(columnsOf(file))
    for (const places of partsOf(file.places)) yield rows(file, participantRecords(file, places))
  },
  write: (file, messages) => rows(file, messageRecords(file, messages)),
  between: '',
  *end(file) {
    for (const ratings of partsOf(file.ratings)) yield rows(file, ratingRecords(file, ratings))
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

const xapi: Format = {
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
