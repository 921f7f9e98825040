import type { SessionKey } from '../../simulation-sessions/queries.js'
import { type Follower, mergeState, newOpenSession, type OpenSession } from './open-session.js'
import { type SessionState, stateOf } from './queries.js'

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
