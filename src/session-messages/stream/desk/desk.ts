import { movedBy } from '../../../simulation-sessions/clock/clock.js'
import type { SessionKey } from '../../../simulation-sessions/queries.js'
import {
  expectationFrame,
  lapsedFrames,
  participantFrame,
  presenceFrame,
  sessionFrame,
} from '../open-sessions/frames.js'
import type { OpenSession, OpenSessions } from '../open-sessions/open-sessions.js'
import { hasSameClock, type SessionState } from '../open-sessions/queries.js'
import { DeskLog } from './desk-log.js'
import { maxFollowed } from './desk-queries.js'
import { type FollowedSession, FollowedSessions, isFollowable } from './followed-sessions.js'

/** Longer than this process takes to learn of a change of presence. */
const latestPresenceMs = 10_000

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

  /** Starts to follow a session, unless the limit is reached. Its state is sent once its expectations are read. */
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
      sentWords: session.words.seq,
      sentPresence: 0,
      sentExpectations: null,
      presenceFrom: movedBy(state.now, -latestPresenceMs),
      changed: 0,
      hasAll: true,
      seesPresence: true,
      wake: () => this.#log(followed),
    }
    session.streams.add(followed)
    this.#running++
    this.#followed.moveToEnd(followed)
    followed.wake()
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

  /** Logs the state of a session when it is followed, and then its changes. */
  #log(one: FollowedSession): void {
    const { session } = one
    // Each state has the number of open expectations.
    if (session.expectations.isStale) return
    if (one.sentExpectations === null) this.#logFirst(one)
    else this.#logChanges(one)
    if (isFollowable(session.state)) return
    this.#running--
    this.#sessions.leave(session, one)
  }

  #logFirst(one: FollowedSession): void {
    const { state, team, words, expectations } = one.session
    one.sentState = state
    one.sentTeam = Math.max(one.sentTeam, team.seq)
    one.sentWords = words.seq
    one.sentExpectations = expectations.last
    this.#write(one, frameOf(one.session))
  }

  /**
   * Logs places, presence and private words first, then messages, then the state if it differs, and what is open
   * then. At the end, what has lapsed comes before the state.
   */
  #logChanges(one: FollowedSession): void {
    const { session, sentState } = one
    const { state, recent, _id } = session
    for (const place of session.team.after(one.sentTeam)) this.#write(one, participantFrame(place))
    one.sentTeam = Math.max(one.sentTeam, session.team.seq)
    this.#logPresence(one)
    this.#logWords(one)
    const hasMessages = state.last_seq > sentState.last_seq
    const messages = hasMessages ? recent.withoutIds(sentState.last_seq) : null
    one.sentState = state
    if (messages) this.#write(one, messages)
    const isDifferent = !hasSameClock(state, sentState) || (hasMessages && !messages)
    if (isDifferent && isFollowable(state)) this.#write(one, frameOf(session))
    this.#logExpectations(one)
    if (isFollowable(state)) return
    const lapsed = lapsedFrames(_id, state)
    if (lapsed) this.#write(one, lapsed)
    this.#write(one, frameOf(session))
  }

  /** Logs new private words. If some of them are not kept, it logs the number of the last one. */
  #logWords(one: FollowedSession): void {
    const { session, sentWords } = one
    if (session.words.seq <= sentWords) return
    one.sentWords = session.words.seq
    const words = session.words.after(sentWords, null)
    this.#write(one, words && words.length > 0 ? words : frameOf(session))
  }

  #logPresence(one: FollowedSession): void {
    const { presence } = one.session
    for (const place of presence.after(one.sentPresence)) {
      if (place.since && place.since > one.presenceFrom) this.#write(one, presenceFrame(place))
    }
    one.sentPresence = presence.last
  }

  #logExpectations(one: FollowedSession): void {
    const { _id, expectations } = one.session
    for (const expectation of expectations.after(one.sentExpectations ?? 0)) {
      this.#write(one, expectationFrame(_id, expectation))
    }
    one.sentExpectations = expectations.last
  }

  #write(one: FollowedSession, event: string | Buffer): void {
    one.changed = ++this.#last
    this.#followed.moveToEnd(one)
    this.log.add(one.changed, Buffer.from(event))
    this.#wakeStreams()
  }
}

const frameOf = (session: OpenSession) => sessionFrame(session._id, session.state, session)
