import type { Kysely } from 'kysely'
import type { FrozenScenario } from '../database/frozen-scenario.js'
import type { Database } from '../database/schema.js'
import { selectFrozen, selectJoined, selectMessages, selectRatings } from './queries.js'
import { type Transcript, threadsOf } from './transcript.js'

interface PlayedSession {
  session_id: string
  scenario: FrozenScenario
  transcript: Transcript
}

/** Of how many sessions the messages are in memory at once. */
const atOnce = 50

/** Sessions that have ended, which nobody changes any more, but for ratings. */
export async function* readSessions(
  db: Kysely<Database>,
  organization_id: string,
  ids: readonly string[],
): AsyncGenerator<PlayedSession> {
  for (let from = 0; from < ids.length; from += atOnce) {
    yield* await readSome(db, organization_id, ids.slice(from, from + atOnce))
  }
}

async function readSome(
  db: Kysely<Database>,
  organization_id: string,
  ids: readonly string[],
): Promise<PlayedSession[]> {
  const frozen = await selectFrozen(db, organization_id, ids)
  const messagesOf = bySession(await selectMessages(db, organization_id, ids))
  const joinedOf = bySession(await selectJoined(db, organization_id, ids))
  const ratingsOf = bySession(await selectRatings(db, organization_id, ids))
  return frozen.flatMap(({ _id: session_id, scenario, conversations }) => {
    const threads = threadsOf(messagesOf(session_id), conversations)
    const joined = joinedOf(session_id).map(({ user_id }) => user_id)
    const transcript = { threads, joined, ratings: ratingsOf(session_id) }
    return scenario ? [{ session_id, scenario, transcript }] : []
  })
}

function bySession<Row extends { session_id: string }>(rows: Row[]): (id: string) => Row[] {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const group = groups.get(row.session_id)
    if (group) group.push(row)
    else groups.set(row.session_id, [row])
  }
  return (id) => groups.get(id) ?? []
}
