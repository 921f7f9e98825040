import { sessionFrame } from '../open-sessions/frames.js'
import type { Follower, OpenSession } from '../open-sessions/open-sessions.js'
import type { SessionState } from '../open-sessions/queries.js'

/** How many session states one event batch of a snapshot has. */
const snapshotBatchSize = 32
/** How many ended sessions are kept for slow streams. */
const maxEnded = 2_000

/** A session that a desk follows, with what the desk has written to its log. */
export interface FollowedSession extends Follower {
  session: OpenSession
  sentState: SessionState
  /** The number of the team's last change in the log. */
  sentTeam: number
  /** The number of the last private word in the log. */
  sentWords: number
  /** The number of the last change of presence in the log. */
  sentPresence: number
  /** The number of the last change of the expectations in the log; null before the first state. */
  sentExpectations: number | null
  /** Presence from before this time is not logged. A reader reads it when the session is first sent. */
  presenceFrom: string
  /** The number of the session's last change in the log. */
  changed: number
}

/** Running or paused: a desk follows it. */
export const isFollowable = ({ status }: SessionState) =>
  status === 'running' || status === 'paused'

/** The sessions of a desk, sorted by their last change. Ended ones stay until they are pruned. */
export class FollowedSessions {
  readonly #byId = new Map<string, FollowedSession>()

  get(session_id: string): FollowedSession | undefined {
    return this.#byId.get(session_id)
  }

  values(): Iterable<FollowedSession> {
    return this.#byId.values()
  }

  /** Adds a session, or moves it to the end after a change. */
  moveToEnd(followed: FollowedSession): void {
    this.#byId.delete(followed.session._id)
    this.#byId.set(followed.session._id, followed)
  }

  /**
   * Returns the states of sessions that changed after a change of the log. `last` is the last change
   * that they include. Leaves out sessions that ended before the stream was opened.
   */
  snapshotAfter(number: number, openedAt: number, last: number) {
    const frames: string[] = []
    for (const { session, sentState, changed } of this.#byId.values()) {
      if (changed <= number || (!isFollowable(sentState) && changed <= openedAt)) continue
      frames.push(sessionFrame(session._id, sentState, session))
      if (frames.length === snapshotBatchSize) {
        return { text: frames.join(''), last: changed, isMore: true }
      }
    }
    return { text: frames.join(''), last, isMore: false }
  }

  /** Drops ended sessions whose end all streams have sent, and the oldest beyond the limit. */
  prune(sentToAll: number, running: number): void {
    let ended = this.#byId.size - running
    for (const [_id, { sentState, changed }] of this.#byId) {
      if (ended === 0) return
      if (isFollowable(sentState)) continue
      if (changed <= sentToAll || ended > maxEnded) this.#byId.delete(_id)
      ended--
    }
  }
}
