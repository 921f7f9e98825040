import type { SessionKey } from '../simulation-sessions/queries.js'
import type { Reader } from './access-queries.js'
import type { Source } from './history.js'
import { learn, newlyOpen, type OpenSession } from './open-session.js'
import { SessionStream } from './stream.js'
import { type SessionState, stateOf } from './stream-queries.js'

const streamsOfOneUser = 20
/** How many streams a process keeps open, of all organizations together. */
const streamsOfAll = 4_000

/** Who reads which sessions in this process. */
export class Readers {
  readonly #source: Source
  readonly #sessions = new Map<string, OpenSession>()
  readonly #streams = new Set<SessionStream>()
  /** The streams of each user, the oldest first. */
  readonly #byUser = new Map<string, Set<SessionStream>>()
  /** The same of each organization. */
  readonly #byOrganization = new Map<string, Set<SessionStream>>()

  constructor(source: Source) {
    this.#source = source
  }

  get streams(): ReadonlySet<SessionStream> {
    return this.#streams
  }

  get sessions(): ReadonlyMap<string, OpenSession> {
    return this.#sessions
  }

  /**
   * Adds a stream of a session. Of one user only the latest go on. If a process has too many, the
   * organization that has the most of them loses its oldest one.
   */
  add(found: SessionKey & SessionState, reader: Reader, after: number): SessionStream {
    const state = stateOf(found)
    const session = this.#open(found, state)
    const begin = { after: Math.min(after, found.last_seq), state }
    const stream = new SessionStream(session, reader, begin, {
      source: this.#source,
      onEnd: () => this.#remove(stream),
    })
    session.streams.add(stream)
    this.#streams.add(stream)
    const own = addTo(this.#byUser, reader.user_id, stream)
    const ofOrganization = addTo(this.#byOrganization, session.organization_id, stream)
    const [oldest] = own
    if (own.size > streamsOfOneUser) oldest?.end()
    if (this.#streams.size > streamsOfAll) this.#endOldestOfMost(ofOrganization)
    return stream
  }

  /** Where several organizations have the most, it ends one of the newcomer's, or else of the first. */
  #endOldestOfMost(ofNewcomer: Set<SessionStream>): void {
    let most = ofNewcomer
    for (const streams of this.#byOrganization.values()) {
      if (streams.size > most.size) most = streams
    }
    const [oldest] = most
    oldest?.end()
  }

  #open({ organization_id, _id }: SessionKey, state: SessionState): OpenSession {
    const session = this.#sessions.get(_id) ?? newlyOpen({ organization_id, _id }, state)
    this.#sessions.set(_id, session)
    learn(session, state)
    return session
  }

  #remove(stream: SessionStream): void {
    const { session, reader } = stream
    // It ends once more when its connection does, and others may have opened the session again.
    if (!this.#streams.delete(stream)) return
    removeFrom(this.#byUser, reader.user_id, stream)
    removeFrom(this.#byOrganization, session.organization_id, stream)
    session.streams.delete(stream)
    if (session.streams.size === 0) this.#sessions.delete(session._id)
  }
}

function addTo<T>(sets: Map<string, Set<T>>, key: string, one: T): Set<T> {
  const set = sets.get(key) ?? new Set()
  sets.set(key, set.add(one))
  return set
}

function removeFrom<T>(sets: Map<string, Set<T>>, key: string, one: T): void {
  const set = sets.get(key)
  set?.delete(one)
  if (set?.size === 0) sets.delete(key)
}
