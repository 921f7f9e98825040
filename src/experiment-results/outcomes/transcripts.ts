import type { Db } from '../../database/schema.js'
import type { FrozenScenario } from '../../database/tables/frozen-scenario.js'
import { completeScenario } from '../../simulation-sessions/start/scenario.js'
import {
  selectDecisions,
  selectFrozen,
  selectJoined,
  selectLengths,
  selectMessages,
  selectRatings,
} from '../queries.js'
import { type Transcript, threadsOf } from './transcript.js'

interface PlayedSession {
  session_id: string
  scenario: FrozenScenario
  transcript: Transcript
}

/** The limits of a batch in memory. A longer session is a batch of its own. */
const maxBatch = { sessions: 50, messages: 10_000 }

/** Reads ended sessions batch by batch. Only their ratings can still change. */
export async function* readSessions(
  db: Db,
  organization_id: string,
  ids: readonly string[],
): AsyncGenerator<PlayedSession> {
  const lengths = await selectLengths(db, organization_id, ids)
  for (const batch of batchesByLength(lengths)) yield* await readBatch(db, organization_id, batch)
}

function* batchesByLength(lengths: { _id: string; last_seq: number }[]): Generator<string[]> {
  let batch: string[] = []
  let messages = 0
  for (const { _id, last_seq } of lengths) {
    messages += last_seq
    if (batch.length === maxBatch.sessions || (batch.length > 0 && messages > maxBatch.messages)) {
      yield batch
      batch = []
      messages = last_seq
    }
    batch.push(_id)
  }
  if (batch.length > 0) yield batch
}

async function readBatch(
  db: Db,
  organization_id: string,
  ids: readonly string[],
): Promise<PlayedSession[]> {
  const frozen = await selectFrozen(db, organization_id, ids)
  const messagesOf = bySession(await selectMessages(db, organization_id, ids))
  const joinedOf = bySession(await selectJoined(db, organization_id, ids))
  const decisionsOf = bySession(await selectDecisions(db, organization_id, ids))
  const ratingsOf = bySession(await selectRatings(db, organization_id, ids))
  return frozen.flatMap(({ _id: session_id, scenario, conversations }) => {
    const threads = threadsOf(messagesOf(session_id), conversations)
    const joined = joinedOf(session_id).map(({ user_id }) => user_id)
    const decisions = decisionsOf(session_id)
    const transcript = { threads, decisions, joined, ratings: ratingsOf(session_id) }
    return scenario ? [{ session_id, scenario: completeScenario(scenario), transcript }] : []
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
