import type { SessionKey } from '../simulation-sessions/queries.js'
import { RecentMessages } from './recent.js'
import { type Known, type News, type SessionState, stateOf } from './stream-queries.js'

interface Follower {
  /** Whether it needs none of the recent messages any more. */
  readonly hasAll: boolean
  /** Lets it look whether there is something to tell. */
  wake(): void
}

/** A session that somebody reads in this process, as far as the process knows it. */
export interface OpenSession extends SessionKey {
  state: SessionState
  /** The last messages up to the last of all; an older one is read anew. */
  readonly recent: RecentMessages
  readonly streams: Set<Follower>
}

export const newlyOpen = (key: SessionKey, state: SessionState): OpenSession => ({
  ...key,
  state,
  recent: new RecentMessages(),
  streams: new Set(),
})

export function knownOf({ organization_id, _id, state }: OpenSession): Known {
  const { status, speed, anchor_at, last_seq: head } = state
  return { organization_id, _id, status, speed, anchor_at, head }
}

/** Takes over what somebody has read of it, unless it is older than what is known. */
export function learn(session: OpenSession, state: SessionState): void {
  const { now, last_seq } = session.state
  if (state.last_seq > last_seq) session.recent.clear()
  if (state.now <= now) return
  session.state = { ...state, last_seq: Math.max(state.last_seq, last_seq) }
  // Those who read already are told by it as well: no look finds again what is known.
  for (const stream of session.streams) stream.wake()
}

/** Keeps the new messages and tells the readers. */
export function learnNews(session: OpenSession, news: News[]): void {
  const [first] = news
  if (!first) return
  const { recent, state } = session
  const fresh = news.flatMap((row) => (row.seq !== null && row.seq > state.last_seq ? row : []))
  if (fresh[0]?.seq !== state.last_seq + 1) recent.clear()
  recent.add(fresh)
  // Another look may have been earlier, and come back later.
  const newer = first.now > state.now ? stateOf(first) : state
  session.state = { ...newer, last_seq: Math.max(first.last_seq, state.last_seq) }
  for (const stream of session.streams) stream.wake()
}

/** Lets go of what every reader has. */
export function forget(session: OpenSession): void {
  const isTaken = [...session.streams].every(({ hasAll }) => hasAll)
  if (isTaken) session.recent.clear()
}
