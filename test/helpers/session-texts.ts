import type { Kysely, Selectable } from 'kysely'
import type { Database } from '../../src/database/schema.js'
import { until } from './until.js'

interface Session {
  _id: string
}

export type StoredMessage = Selectable<Database['session_messages']>

/** Reads what was posted in sessions, sorted by `seq`. */
export function sessionTextsOf(db: Kysely<Database>) {
  const messages = ({ _id }: Session): Promise<StoredMessage[]> =>
    db
      .selectFrom('session_messages')
      .selectAll()
      .where('session_id', '=', _id)
      .orderBy('seq')
      .execute()

  const texts = async (session: Session): Promise<string[]> =>
    (await messages(session)).map(({ content }) => content)

  /** Waits until this number of messages is posted, and returns their texts. */
  async function waitForTexts(session: Session, count: number): Promise<string[]> {
    await until(async () => (await messages(session)).length >= count)
    return texts(session)
  }

  return { messages, texts, waitForTexts }
}
