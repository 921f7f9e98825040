import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { Schema } from '../../contract.js'
import { batchesOf } from '../../database/batches.js'
import type { Database, Db, Trx } from '../../database/schema.js'
import { type ParametersOf, prepare } from '../../database/statements.js'

type Table = Database['session_messages']
export type StoredMessage = Selectable<Table>

/** Inserts messages. The row of the session is locked, so that `seq` follows the order of commits. */
export async function insertMessages(trx: Trx, messages: StoredMessage[]): Promise<void> {
  const rows = messages.map(({ expectation, artefact, decides, ...message }) => ({
    ...message,
    expectation: expectation && JSON.stringify(expectation),
    artefact: artefact && JSON.stringify(artefact),
    decides: decides && JSON.stringify(decides),
  }))
  const [first, ...others] = rows
  if (first && others.length === 0) await insertMessage(trx, first)
  else for (const batch of batchesOf(rows)) await insertRows(trx, batch).execute()
}

/** A message with its JSON as text. */
type Row = Omit<StoredMessage, JsonColumn> & Record<JsonColumn, string | null>
type JsonColumn = 'expectation' | 'artefact' | 'decides'

const insertMessage = prepare('insert_session_message', (db, row: ParametersOf<Row>) =>
  insertRows(db, [row]),
)

function insertRows(db: Db, rows: (Row | ParametersOf<Row>)[]) {
  return db.insertInto('session_messages').values(
    rows.map(({ expectation, artefact, decides, ...row }) => ({
      ...row,
      artefact: artefact === null ? null : sql<Schema<'Artefact'>>`${artefact}::jsonb`,
      expectation: expectation === null ? null : sql<Schema<'Expectation'>>`${expectation}::jsonb`,
      decides: decides === null ? null : sql<Schema<'DecisionMade'>>`${decides}::jsonb`,
    })),
  )
}
