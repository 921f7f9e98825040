import type { LockedSession } from '../simulation-sessions/queries.js'
import type { Reader } from './access-queries.js'
import type { Source } from './history.js'
import { learn, newlyOpen, type OpenSession } from './open-session.js'
import { SessionStream } from './stream.js'
import { stateOf } from './stream-queries.js'

const streamsOfOneUser = 20

/** Who reads which sessions in this process. */
export class Readers {
  readonly #source: Source
  readonly #sessions = new Map<string, OpenSession>()
  readonly #streams = new Set<SessionStream>()
  /** The streams of each user, the oldest first. */
  readonly #byUser = new Map<string, Set<SessionStream>>()

  constructor(source: Source) {
    this.#source = source
  }

  get streams(): ReadonlySet<SessionStream> {
    return this.#streams
  }

  get sessions(): ReadonlyMap<string, OpenSession> {
    return this.#sessions
  }

  /** Another stream of a session. Of one user's only the latest go on. */
  add(found: LockedSession, reader: Reader, after: number): SessionStream {
    const state = stateOf(found)
    const session = this.#open(found, state)
    const begin = { after: Math.min(after, found.last_seq), state }
    const stream = new SessionStream(session, reader, begin, {
      source: this.#source,
      onEnd: () => this.#remove(stream),
    })
    session.streams.add(stream)
    this.#streams.add(stream)
    const own = this.#byUser.get(reader.user_id) ?? new Set()
    this.#byUser.set(reader.user_id, own.add(stream))
    const [oldest] = own
    if (own.size > streamsOfOneUser) oldest?.end()
    return stream
  }

  #open({ organization_id, _id }: LockedSession, state: ReturnType<typeof stateOf>): OpenSession {
    const session = this.#sessions.get(_id) ?? newlyOpen({ organization_id, _id }, state)
    this.#sessions.set(_id, session)
    learn(session, state)
    return session
  }

  #remove(stream: SessionStream): void {
    const { session, reader } = stream
    // It ends once more when its connection does, and others may have opened the session again.
    if (!this.#streams.delete(stream)) return
    const own = this.#byUser.get(reader.user_id)
    own?.delete(stream)
    if (own?.size === 0) this.#byUser.delete(reader.user_id)
    session.streams.delete(stream)
    if (session.streams.size === 0) this.#sessions.delete(session._id)
  }
}
