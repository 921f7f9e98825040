import type { FastifyBaseLogger } from 'fastify'
import type { Db } from '../../database/schema.js'
import type { Clock } from '../../process/clock.js'
import type { SessionKey } from '../../simulation-sessions/queries.js'
import type { Turns } from '../../turns/turns.js'
import { AccessChecks } from './access.js'
import type { Reader } from './access-queries.js'
import { PresenceBeat } from './attendance/presence-beat.js'
import type { DeskStream } from './desk/desk-stream.js'
import { prune } from './open-sessions/open-sessions.js'
import type { SessionState } from './open-sessions/queries.js'
import { OpenStreams } from './open-streams.js'
import { Refresher } from './refresh.js'
import { History } from './replay/history.js'
import type { SessionStream } from './session-stream.js'
import type { Stream } from './stream.js'

const refreshEveryMs = 500
const commentAfterMs = 15_000

interface Options {
  db: Db
  dbOf(organization_id: string): Db
  longAnswers: Turns
  log: Pick<FastifyBaseLogger, 'warn'>
  clock?: Clock
}

/**
 * All streams of this process. A stream first replays the messages after its reader's last one, page
 * by page, and then sends live changes as they are merged into the open session (open-sessions/).
 * Live changes come from one query for all sessions that are read here: it runs every 500 ms, and at
 * once when this process has changed a session. Every 2.5 s the access of all readers is checked, and
 * the streams of those who may no longer read are cut. Presence is written and read every 500 ms
 * (attendance/). A process without streams queries nothing.
 */
export class SessionStreams {
  readonly #history: History
  readonly #open: OpenStreams
  readonly #refresher: Refresher
  readonly #access: AccessChecks
  readonly #presence: PresenceBeat
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor({ db, dbOf, longAnswers, log, clock }: Options) {
    this.#history = new History({ dbOf, longAnswers })
    this.#open = new OpenStreams(this.#history)
    const { sessions, desks } = this.#open
    const onError = (err: unknown) => log.warn({ err }, 'streams could not be refreshed')
    this.#refresher = new Refresher({ db, sessions, desks, onError, clock })
    this.#access = new AccessChecks({ db, log })
    this.#presence = new PresenceBeat({ db, open: this.#open, log })
  }

  get size(): number {
    return this.#open.streams.size
  }

  /** How many pages of older messages wait for their readers. */
  get pagesHeld(): number {
    return this.#history.held
  }

  /** How long a query for changes has been running. */
  readonly quietMs = () => this.#refresher.underWayMs()

  /** Streams the events of a session after a message. The caller has checked the reader's access. */
  open(found: SessionKey & SessionState, reader: Reader, after: number): SessionStream {
    const stream = this.#start(this.#open.add(found, reader, after))
    this.wake(found._id)
    return stream
  }

  /** Streams the events of all running sessions of an organization to a trainer. */
  openDesk(organization_id: string, reader: Reader): DeskStream {
    const stream = this.#start(this.#open.addDesk(organization_id, reader))
    this.#refresher.checkStarts()
    return stream
  }

  #start<Opened extends Stream>(stream: Opened): Opened {
    if (this.#isClosed) stream.end('service_stops')
    else this.#timer ??= setInterval(() => this.#tick(), refreshEveryMs).unref()
    return stream
  }

  /** Refreshes at once a session that this process has changed. */
  wake(session_id: string): void {
    this.#refresher.refresh(session_id)
  }

  /** Checks the access of all readers at the next tick. Call it after the end of a reader's access. */
  checkAccess(): void {
    this.#access.hurry()
  }

  /** Ends all streams, and each stream that is opened later. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const stream of this.#open.streams) stream.end('service_stops')
    this.#stopTimer()
    await Promise.all([this.#refresher.settled(), this.#access.stop(), this.#presence.stop()])
  }

  #stopTimer(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #tick(): void {
    const { streams, sessions, desks } = this.#open
    this.#presence.beat()
    if (streams.size === 0 && this.#presence.isIdle) this.#stopTimer()
    const now = Date.now()
    for (const stream of streams) {
      stream.expire(now)
      stream.keepAlive(commentAfterMs)
    }
    for (const session of sessions.values()) prune(session)
    desks.prune()
    this.#refresher.refreshAll()
    this.#access.tick(streams)
  }
}
