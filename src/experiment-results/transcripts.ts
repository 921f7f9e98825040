import type { Kysely } from 'kysely'
import type { FrozenScenario } from '../database/frozen-scenario.js'
import type { Database } from '../database/schema.js'
import {
  selectFrozen,
  selectJoined,
  selectLengths,
  selectMessages,
  selectRatings,
} from './queries.js'
import { type Transcript, threadsOf } from './transcript.js'

interface PlayedSession {
  session_id: string
  scenario: FrozenScenario
  transcript: Transcript
}

/** The most sessions and messages in memory at once. A longer session is read alone. */
const atOnce = { sessions: 50, messages: 10_000 }

/** Sessions that have ended, which nobody changes any more, but for ratings. */
export async function* readSessions(
  db: Kysely<Database>,
  organization_id: string,
  ids: readonly string[],
): AsyncGenerator<PlayedSession> {
  const lengths = await selectLengths(db, organization_id, ids)
  for (const group of groupsOf(lengths)) yield* await readSome(db, organization_id, group)
}

function* groupsOf(lengths: { _id: string; last_seq: number }[]): Generator<string[]> {
  let group: string[] = []
  let messages = 0
  for (const { _id, last_seq } of lengths) {
    messages += last_seq
    if (group.length === atOnce.sessions || (group.length > 0 && messages > atOnce.messages)) {
      yield group
      group = []
      messages = last_seq
    }
    group.push(_id)
  }
  if (group.length > 0) yield group
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
