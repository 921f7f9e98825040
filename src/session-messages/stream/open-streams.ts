import { countedAs } from '../../identity/caller.js'
import type { SessionKey } from '../../simulation-sessions/queries.js'
import type { Reader } from './access-queries.js'
import type { DeskStream } from './desk/desk-stream.js'
import { Desks } from './desk/desks.js'
import { OpenSessions } from './open-sessions/open-sessions.js'
import { type SessionState, stateOf } from './open-sessions/queries.js'
import type { PageSource } from './replay/history.js'
import { SessionStream } from './session-stream.js'
import type { Stream } from './stream.js'

/** How many streams a user keeps open, without those of seats. A seat keeps as many. */
const maxStreamsOfHolder = 20
/** How many streams a process keeps open for all organizations together. */
const maxStreams = 4_000

/** The open streams of this process, and the sessions that they read. */
export class OpenStreams {
  readonly sessions = new OpenSessions()
  readonly desks = new Desks(this.sessions)
  readonly #source: PageSource
  readonly #streams = new Set<Stream>()
  /** Streams by user or seat, the oldest first. */
  readonly #byHolder = new Map<string, Set<Stream>>()
  /** Streams by organization, the oldest first. */
  readonly #byOrganization = new Map<string, Set<Stream>>()

  constructor(source: PageSource) {
    this.#source = source
  }

  get streams(): ReadonlySet<Stream> {
    return this.#streams
  }

  add(found: SessionKey & SessionState, reader: Reader, after: number): SessionStream {
    const session = this.sessions.open(found)
    const start = { after: Math.min(after, found.last_seq), state: stateOf(found) }
    const stream: SessionStream = new SessionStream(session, reader, start, {
      source: this.#source,
      onEnd: () => {
        if (this.#remove(stream)) this.sessions.leave(session, stream)
      },
    })
    session.streams.add(stream)
    this.#register(stream)
    return stream
  }

  /** Adds a stream of all running sessions of an organization. */
  addDesk(organization_id: string, reader: Reader): DeskStream {
    const stream = this.desks.add(organization_id, reader, (one) => {
      if (this.#remove(one)) this.desks.remove(one)
    })
    this.#register(stream)
    return stream
  }

  /**
   * Adds a stream. If the user or seat has too many, the oldest one ends. If the process has too many, the
   * oldest stream of the organization with the most streams ends.
   */
  #register(stream: Stream): void {
    this.#streams.add(stream)
    const own = addTo(this.#byHolder, countedAs(stream.reader), stream)
    const ofOrganization = addTo(this.#byOrganization, stream.organization_id, stream)
    const [oldest] = own
    if (own.size > maxStreamsOfHolder) oldest?.end('too_many_streams')
    if (this.#streams.size > maxStreams) this.#endOldestOfMost(ofOrganization)
  }

  /** If several organizations have the most, the newcomer's organization loses a stream. */
  #endOldestOfMost(ofNewcomer: Set<Stream>): void {
    let most = ofNewcomer
    for (const streams of this.#byOrganization.values()) {
      if (streams.size > most.size) most = streams
    }
    const [oldest] = most
    oldest?.end('too_many_streams')
  }

  /** Returns false if the stream was removed before: it ends again when its connection closes. */
  #remove(stream: Stream): boolean {
    if (!this.#streams.delete(stream)) return false
    removeFrom(this.#byHolder, countedAs(stream.reader), stream)
    removeFrom(this.#byOrganization, stream.organization_id, stream)
    return true
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
