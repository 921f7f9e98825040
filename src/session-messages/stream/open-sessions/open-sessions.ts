import type { SessionKey } from '../../../simulation-sessions/queries.js'
import { Expectations } from './expectations.js'
import { Presence } from './presence.js'
import type { PlacePresence } from './presence-queries.js'
import { PrivateWords } from './private-words.js'
import {
  type ChangeRow,
  hasSameClock,
  type SessionCursor,
  type SessionState,
  stateOf,
} from './queries.js'
import { RecentMessages } from './recent.js'
import { Team } from './team.js'
import type { PlaceRow } from './team-queries.js'
import type { WordRow } from './word-queries.js'

export interface Follower {
  /** Whether it has taken all recent messages. */
  readonly hasAll: boolean
  /** Whether it sends who is online. */
  readonly seesPresence: boolean
  /** Is called when there may be something to send. */
  wake(): void
}

/** A session with readers in this process, as of the last query. */
export interface OpenSession extends SessionKey {
  state: SessionState
  /** The latest messages. Readers who lack older ones read them from the database. */
  readonly recent: RecentMessages
  readonly streams: Set<Follower>
  readonly team: Team
  /** The latest private words. */
  readonly words: PrivateWords
  readonly presence: Presence
  readonly expectations: Expectations
}

export const newOpenSession = (key: SessionKey, state: SessionState): OpenSession => ({
  ...key,
  state,
  recent: new RecentMessages(),
  streams: new Set(),
  team: new Team(state.team_seq),
  words: new PrivateWords(state.trainer_seq),
  presence: new Presence(),
  expectations: new Expectations(),
})

/** Returns the position after which changes are queried. */
export function cursorOf({ organization_id, _id, ...known }: OpenSession): SessionCursor {
  const { status, speed, anchor_at, last_seq: head } = known.state
  const counts = { head, team_seq: known.team.seq, trainer_seq: known.words.seq }
  return { organization_id, _id, status, speed, anchor_at, ...counts }
}

/** Merges a state that was read elsewhere, unless the known state is newer. */
export function mergeState(session: OpenSession, state: SessionState): void {
  const { now, last_seq } = session.state
  if (state.last_seq > last_seq) session.recent.clear()
  if (state.now <= now) return
  if (state.last_seq > last_seq || !hasSameClock(state, session.state)) {
    session.expectations.expire()
  }
  session.state = { ...state, last_seq: Math.max(state.last_seq, last_seq) }
  // The next query does not return this change again, so the other readers are woken here.
  wakeAll(session)
}

/** Whether changes can have changed what is expected of participants, and until when. */
export function changesExpectations(session: OpenSession, rows: ChangeRow[]): boolean {
  const [first] = rows
  if (!first) return false
  const { state } = session
  const missed = first.last_seq - state.last_seq - rows.filter(({ seq }) => seq !== null).length
  return missed > 0 || !hasSameClock(first, state) || rows.some(touchesExpectation)
}

const touchesExpectation = (row: ChangeRow) =>
  row.seq !== null && (row.expectation !== null || row.answers.length > 0)

/** Merges the rows of a query for changes: new messages and the new state. */
export function mergeChanges(session: OpenSession, rows: ChangeRow[]): void {
  const [first] = rows
  if (!first) return
  const { recent, state } = session
  const fresh = rows.flatMap((row) => (row.seq !== null && row.seq > state.last_seq ? row : []))
  if (fresh[0]?.seq !== state.last_seq + 1) recent.clear()
  recent.add(fresh)
  // A query that began earlier may end later.
  const newer = first.now > state.now ? stateOf(first) : state
  session.state = { ...newer, last_seq: Math.max(first.last_seq, state.last_seq) }
  wakeAll(session)
}

/** Merges a snapshot of the team. */
export function mergeTeam(session: OpenSession, rows: PlaceRow[]): void {
  session.team.merge(rows)
  wakeAll(session)
}

export function mergePresence(
  session: OpenSession,
  fingerprint: string,
  places: PlacePresence[],
): void {
  session.presence.merge(fingerprint, places)
  wakeAll(session)
}

/** Merges private words. */
export function mergeWords(session: OpenSession, rows: WordRow[]): void {
  session.words.merge(rows)
  wakeAll(session)
}

/** Drops the recent messages and private words when every reader has them. */
export function prune(session: OpenSession): void {
  const isTaken = [...session.streams].every(({ hasAll }) => hasAll)
  if (!isTaken) return
  session.recent.clear()
  session.words.clear()
}

export function wakeAll({ streams }: OpenSession): void {
  for (const stream of streams) stream.wake()
}

/** The sessions with readers in this process, by id. */
export class OpenSessions {
  readonly #byId = new Map<string, OpenSession>()

  get(session_id: string): OpenSession | undefined {
    return this.#byId.get(session_id)
  }

  values(): Iterable<OpenSession> {
    return this.#byId.values()
  }

  /** Opens a session, or merges the state that was just read if it is open already. */
  open({ organization_id, _id, ...found }: SessionKey & SessionState): OpenSession {
    const state = stateOf(found)
    const session = this.#byId.get(_id) ?? newOpenSession({ organization_id, _id }, state)
    this.#byId.set(_id, session)
    mergeState(session, state)
    return session
  }

  /** Removes a follower, and with the last follower the session. */
  leave(session: OpenSession, follower: Follower): void {
    session.streams.delete(follower)
    const isLast = session.streams.size === 0
    // The session may have been opened again since.
    if (isLast && this.#byId.get(session._id) === session) this.#byId.delete(session._id)
  }
}
