import { countedAs } from '../../identity/caller.js'
import { isLoopback, networkOf, prefixes } from '../../identity/network.js'
import type { SessionKey } from '../../simulation-sessions/queries.js'
import type { Reader } from './access-queries.js'
import type { DeskStream } from './desk/desk-stream.js'
import { Desks } from './desk/desks.js'
import { OpenSessions } from './open-sessions/open-sessions.js'
import { type SessionState, stateOf } from './open-sessions/queries.js'
import type { PageSource } from './replay/history.js'
import { SessionStream } from './session-stream.js'
import type { Stream } from './stream.js'

/** How many streams a process keeps open. Tests pass smaller numbers. */
const limits = {
  /** For all organizations together. */
  all: 4_000,
  /** For one network, because anyone can register many organizations. */
  network: 1_000,
  /** For a user, without those of seats. A seat keeps as many. */
  holder: 20,
  /** How many each organization keeps when others have too many. */
  spared: 10,
}

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
  /** Streams by network, the oldest first. Without those of this machine. */
  readonly #byNetwork = new Map<string, Set<Stream>>()
  readonly #limits: typeof limits

  constructor(source: PageSource, given = limits) {
    this.#source = source
    this.#limits = given
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
   * Adds a stream. If the user or seat, the network or the process then has too many, one stream ends:
   * an older one, or the new one if the older ones are spared.
   */
  #register(stream: Stream): void {
    const { all, network, holder } = this.#limits
    this.#streams.add(stream)
    const own = addTo(this.#byHolder, countedAs(stream.reader), stream)
    const ofOrganization = addTo(this.#byOrganization, stream.organization_id, stream)
    const ofNetwork = this.#addToNetwork(stream)
    const [oldest] = own
    if (own.size > holder) oldest?.end('too_many_streams')
    if (ofNetwork.size > network) this.#endOneOf(ofNetwork, stream)
    else if (this.#streams.size > all) this.#endOneOf(this.#largestGroup(ofOrganization), stream)
  }

  #addToNetwork(stream: Stream): Set<Stream> {
    const network = siteOf(stream)
    return isLoopback(network) ? new Set() : addTo(this.#byNetwork, network, stream)
  }

  /** The organization or network with the most streams; among several, that of the newcomer. */
  #largestGroup(ofNewcomer: Set<Stream>): Set<Stream> {
    let largest = ofNewcomer
    for (const groups of [this.#byOrganization, this.#byNetwork]) {
      for (const group of groups.values()) if (group.size > largest.size) largest = group
    }
    return largest
  }

  /**
   * Ends the oldest stream of a group that is not spared. If all are, the oldest one of another network
   * than the newcomer's, because a stranger can have many organizations there; or else the newcomer.
   */
  #endOneOf(group: Set<Stream>, newcomer: Stream): void {
    const [oldest = newcomer] = group
    const network = siteOf(oldest)
    const isNetwork = group === this.#byNetwork.get(network)
    let loser = isNetwork && network !== siteOf(newcomer) ? oldest : newcomer
    for (const stream of group) {
      if (this.#isSpared(stream)) continue
      loser = stream
      break
    }
    loser.end('too_many_streams')
  }

  #isSpared({ organization_id }: Stream): boolean {
    return (this.#byOrganization.get(organization_id)?.size ?? 0) <= this.#limits.spared
  }

  /** Returns false if the stream was removed before: it ends again when its connection closes. */
  #remove(stream: Stream): boolean {
    if (!this.#streams.delete(stream)) return false
    removeFrom(this.#byHolder, countedAs(stream.reader), stream)
    removeFrom(this.#byOrganization, stream.organization_id, stream)
    removeFrom(this.#byNetwork, siteOf(stream), stream)
    return true
  }
}

/** The network whose streams are counted together. */
const siteOf = ({ reader }: Stream) => networkOf(reader.network, prefixes.site)

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
