import type { StoredMessage } from '../simulation-sessions/message-queries.js'
import type { SessionKey } from '../simulation-sessions/queries.js'
import { messageFrame } from './frames.js'
import {
  type Known,
  type News,
  recentAtMost,
  type SessionState,
  stateOf,
} from './stream-queries.js'

/** A message as the event that each kind of reader gets. */
interface Recent {
  seq: number
  full: string
  reduced: string
}

interface Follower {
  /** Whether it needs none of the recent messages any more. */
  readonly hasAll: boolean
  /** Lets it look whether there is something to tell. */
  wake(): void
}

/** A session that somebody reads in this process, as far as the process knows it. */
export interface OpenSession extends SessionKey {
  state: SessionState
  /** The last messages in a row, the last of all at the end; an older one is read anew. */
  recent: Recent[]
  readonly streams: Set<Follower>
}

/** What is kept of a session at most. A long message alone may be more. */
const charactersAtMost = 16_384

export const newlyOpen = (key: SessionKey, state: SessionState): OpenSession => ({
  ...key,
  state,
  recent: [],
  streams: new Set(),
})

export function knownOf({ organization_id, _id, state }: OpenSession): Known {
  const { status, speed, anchor_at, last_seq: head } = state
  return { organization_id, _id, status, speed, anchor_at, head }
}

/** Takes over what somebody has read of it, unless it is older than what is known. */
export function learn(session: OpenSession, state: SessionState): void {
  const { now, last_seq } = session.state
  if (state.last_seq > last_seq) session.recent = []
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
  if (fresh[0]?.seq !== state.last_seq + 1) recent.length = 0
  recent.push(...fresh.map(recentOf))
  // Another look may have been earlier, and come back later.
  const newer = first.now > state.now ? stateOf(first) : state
  session.state = { ...newer, last_seq: Math.max(first.last_seq, state.last_seq) }
  let characters = recent.reduce((sum, { full }) => sum + full.length, 0)
  while (recent.length > recentAtMost || (characters > charactersAtMost && recent.length > 1)) {
    characters -= recent.shift()?.full.length ?? 0
  }
  for (const stream of session.streams) stream.wake()
}

const recentOf = (row: StoredMessage): Recent => ({
  seq: row.seq,
  full: messageFrame(true, row),
  reduced: messageFrame(false, row),
})

/** Lets go of what every reader has. */
export function forget(session: OpenSession): void {
  const isTaken = [...session.streams].every(({ hasAll }) => hasAll)
  if (isTaken && session.recent.length > 0) session.recent = []
}
