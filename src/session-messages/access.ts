import type { Kysely } from 'kysely'
import type { Database } from '../database/schema.js'
import { selectAllowed } from './access-queries.js'
import type { SessionStream } from './stream.js'

/** Ends the streams of those who have lost what let them read: one query, however many there are. */
export async function endForbidden(db: Kysely<Database>, streams: SessionStream[]): Promise<void> {
  const reading = streams.map(({ reader, session }) => ({ reader, session_id: session._id }))
  const allowed = await selectAllowed(db, reading)
  for (const [i, stream] of streams.entries()) if (!allowed.has(i)) stream.end()
}
