import type { SessionKey } from '../../../simulation-sessions/queries.js'
import { participantFrame, sessionFrame } from '../frames.js'
import type { OpenSessions } from '../open-sessions.js'
import { hasSameClock, type SessionState } from '../queries.js'
import { DeskLog } from './desk-log.js'
import { maxFollowed } from './desk-queries.js'
import { type FollowedSession, FollowedSessions, isFollowable } from './followed-sessions.js'

/**
 * Follows the running sessions of one organization for all its desk streams. Every change gets a
 * number, and is written once to a log of bounded size. A stream keeps only the number of the last
 * change that it has sent. If the log has dropped a change that a stream still needs, the stream sends
 * a snapshot instead: the state of each session that has changed since.
 */
export class Desk {
  readonly organization_id: string
  readonly log = new DeskLog()
  readonly #sessions: OpenSessions
  readonly #wakeStreams: () => void
  readonly #followed = new FollowedSessions()
  #running = 0
  #last = 0

  constructor(organization_id: string, sessions: OpenSessions, wakeStreams: () => void) {
    this.organization_id = organization_id
    this.#sessions = sessions
    this.#wakeStreams = wakeStreams
  }

  /** The number of the last change. */
  get last(): number {
    return this.#last
  }

  /** The running and paused sessions. */
  get session_ids(): string[] {
    return [...this.#followed.values()]
      .filter(({ sentState }) => isFollowable(sentState))
      .map(({ session }) => session._id)
  }

  /** Starts to follow a session, unless the limit is reached. */
  follow(found: SessionKey & SessionState): void {
    const before = this.#followed.get(found._id)
    if (this.#running >= maxFollowed || (before && isFollowable(before.sentState))) return
    const session = this.#sessions.open(found)
    const { _id, state } = session
    // The open session may know already that it has ended.
    if (!isFollowable(state)) return
    const followed: FollowedSession = {
      session,
      sentState: state,
      sentTeam: state.team_seq,
      changed: 0,
      hasAll: true,
      wake: () => this.#logChanges(followed),
    }
    session.streams.add(followed)
    this.#running++
    this.#write(followed, sessionFrame(_id, state))
  }

  /** Leaves all sessions. */
  close(): void {
    for (const one of this.#followed.values()) this.#sessions.leave(one.session, one)
  }

  /** Returns the states of sessions that changed after a change that a stream has sent. */
  snapshotAfter(sent: number, openedAt: number): { text: string; last: number; isMore: boolean } {
    return this.#followed.snapshotAfter(sent, openedAt, this.#last)
  }

  /** Drops ended sessions whose end all streams have sent. */
  prune(sentToAll: number): void {
    this.#followed.prune(sentToAll, this.#running)
  }

  /** Logs the changes of a session: places first, then messages, then the state if it differs. */
  #logChanges(one: FollowedSession): void {
    const { session, sentState } = one
    const { state, recent, _id } = session
    for (const place of session.team.after(one.sentTeam)) this.#write(one, participantFrame(place))
    one.sentTeam = Math.max(one.sentTeam, session.team.seq)
    const hasMessages = state.last_seq > sentState.last_seq
    const messages = hasMessages ? recent.withoutIds(sentState.last_seq) : null
    one.sentState = state
    if (messages) this.#write(one, messages)
    if (!hasSameClock(state, sentState) || (hasMessages && !messages)) {
      this.#write(one, sessionFrame(_id, state))
    }
    if (isFollowable(state)) return
    this.#running--
    this.#sessions.leave(session, one)
  }

  #write(one: FollowedSession, event: string | Buffer): void {
    one.changed = ++this.#last
    this.#followed.moveToEnd(one)
    this.log.add(one.changed, Buffer.from(event))
    this.#wakeStreams()
  }
}
