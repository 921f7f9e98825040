import { setImmediate as turnOfEventLoop } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Kysely } from 'kysely'
import type { Clock } from '../clock.js'
import type { Database } from '../database/schema.js'
import type { SessionKey } from '../simulation-sessions/queries.js'
import type { Turns } from '../turns/turns.js'
import { AccessChecks } from './access.js'
import type { Reader } from './access-queries.js'
import { type Errand, errand } from './errand.js'
import { History } from './history.js'
import { forget, knownOf, learnNews, type OpenSession } from './open-session.js'
import { Readers } from './readers.js'
import type { SessionStream } from './stream.js'
import { type SessionState, selectNews, sessionsAtOnce } from './stream-queries.js'

const lookEveryMs = 500
const commentAfterMs = 15_000
const checkAccessEveryMs = 4_500
/** How many sessions' news are sent before other work goes on. */
const sessionsATurn = 8

interface Options {
  db: Kysely<Database>
  dbOf(organization_id: string): Kysely<Database>
  longAnswers: Turns
  log: Pick<FastifyBaseLogger, 'warn'>
  clock?: Clock
}

/**
 * All streams of this process: one query at a time finds what is new for many of them. Every few
 * seconds each organization is asked who may not read any more. Without streams there is none.
 */
export class SessionStreams {
  readonly #db: Kysely<Database>
  readonly #history: History
  readonly #readers: Readers
  readonly #look: Errand
  readonly #access: AccessChecks
  /** Those to be looked at. */
  readonly #changed = new Set<OpenSession>()
  #timer: NodeJS.Timeout | undefined
  #checkedAt = 0
  #isClosed = false

  constructor({ db, dbOf, longAnswers, log, clock }: Options) {
    this.#db = db
    this.#history = new History({ dbOf, longAnswers })
    this.#readers = new Readers(this.#history)
    this.#look = errand(
      () => this.#lookAtChanged(),
      (err) => log.warn({ err }, 'streams get no news for now'),
      clock,
    )
    this.#access = new AccessChecks({ dbOf, log })
  }

  /** How many are open. */
  get size(): number {
    return this.#readers.streams.size
  }

  /** How many pages of older messages their readers have not taken yet. */
  get pagesHeld(): number {
    return this.#history.held
  }

  /** How long a look has been under way; without streams there is none. */
  readonly quietMs = () => this.#look.underWayMs()

  /** The events of a session after a message, for somebody who may read it. */
  open(found: SessionKey & SessionState, reader: Reader, after: number): SessionStream {
    const stream = this.#readers.add(found, reader, after)
    if (this.#isClosed) stream.end()
    else this.#timer ??= setInterval(() => this.#tick(), lookEveryMs).unref()
    return stream
  }

  /** Looks at a session at once, in which this process has changed something. */
  wake(session_id: string): void {
    const session = this.#readers.sessions.get(session_id)
    if (!session) return
    this.#changed.add(session)
    this.#look.run()
  }

  /** Ends all streams, and those that are still to be opened. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const stream of this.#readers.streams) stream.end()
    this.#stop()
    await Promise.all([this.#look.settled(), this.#access.stop()])
  }

  #stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #tick(): void {
    const { streams, sessions } = this.#readers
    if (streams.size === 0) this.#stop()
    const now = Date.now()
    for (const stream of streams) {
      stream.expire(now)
      stream.keepAlive(commentAfterMs)
    }
    for (const session of sessions.values()) {
      forget(session)
      this.#changed.add(session)
    }
    this.#look.run()
    if (performance.now() - this.#checkedAt < checkAccessEveryMs) return
    this.#checkedAt = performance.now()
    this.#access.run(streams)
  }

  async #lookAtChanged(): Promise<void> {
    const sessions = [...this.#changed]
    this.#changed.clear()
    for (let first = 0; first < sessions.length; first += sessionsAtOnce) {
      await this.#lookAt(sessions.slice(first, first + sessionsAtOnce))
    }
  }

  /** Tells the readers what is new in some sessions. Other work goes on in between. */
  async #lookAt(sessions: OpenSession[]): Promise<void> {
    const news = await selectNews(this.#db, sessions.map(knownOf))
    const changed = sessions.filter(({ _id }) => news.has(_id))
    for (const [i, session] of changed.entries()) {
      if (i % sessionsATurn === 0) await turnOfEventLoop()
      learnNews(session, news.get(session._id) ?? [])
    }
  }
}
