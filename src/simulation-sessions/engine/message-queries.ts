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
  const rows = messages.map(({ expectation, decides, ...message }) => ({
    ...message,
    expectation: expectation && JSON.stringify(expectation),
    decides: decides && JSON.stringify(decides),
  }))
  const [first, ...others] = rows
  if (first && others.length === 0) await insertMessage(trx, first)
  else for (const batch of batchesOf(rows)) await insertRows(trx, batch).execute()
}

/** A message with its JSON as text. */
type Row = Omit<StoredMessage, 'expectation' | 'decides'> &
  Record<'expectation' | 'decides', string | null>

const insertMessage = prepare('insert_session_message', (db, row: ParametersOf<Row>) =>
  insertRows(db, [row]),
)

function insertRows(db: Db, rows: (Row | ParametersOf<Row>)[]) {
  return db.insertInto('session_messages').values(
    rows.map(({ expectation, decides, ...row }) => ({
      ...row,
      expectation: expectation === null ? null : sql<Schema<'Expectation'>>`${expectation}::jsonb`,
      decides: decides === null ? null : sql<Schema<'DecisionMade'>>`${decides}::jsonb`,
    })),
  )
}
