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

/** How a format writes a session: what comes before its messages, some of them, and what comes after. */
interface Format {
  type: string
  extension: string
  begin(file: SessionFile): string
  write(file: SessionFile, messages: ExportedMessage[]): string
  /** What stands between two pieces of messages. */
  between: string
  end(file: SessionFile): string
}

const ndjson: Format = {
  type: 'application/x-ndjson; charset=utf-8',
  extension: 'ndjson',
  begin: (file) => jsonLines([sessionRecord(file), ...participantRecords(file)]),
  write: (file, messages) => jsonLines(messageRecords(file, messages)),
  between: '',
  end: (file) => jsonLines([...ratingRecords(file), endRecord(file)]),
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
  begin: (file) => csvHeader(columnsOf(file)) + rows(file, participantRecords(file)),
  write: (file, messages) => rows(file, messageRecords(file, messages)),
  between: '',
  end: (file) => rows(file, ratingRecords(file)),
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
  begin: () => '[\n',
  write: (file, messages) =>
    statementsOf(file, messages)
      .map((statement) => JSON.stringify(statement))
      .join(',\n'),
  between: ',\n',
  end: () => '\n]\n',
}

export const formats = { ndjson, csv, xapi }
