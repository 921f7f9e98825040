import type { Db } from '../../database/schema.js'
import type { Clock } from '../../process/clock.js'
import { type CoalescedTask, coalesce } from './coalesced-task.js'
import type { Desks } from './desk/desks.js'
import type { OpenSessions } from './open-sessions.js'
import { sessionBatchSize } from './queries.js'
import { refreshSessions } from './refresh-sessions.js'

interface Options {
  db: Db
  sessions: OpenSessions
  desks: Desks
  onError(error: unknown): void
  clock: Clock | undefined
}

/** Queries the changes of open sessions, one query at a time. */
export class Refresher {
  readonly #db: Db
  readonly #sessions: OpenSessions
  readonly #desks: Desks
  readonly #task: CoalescedTask
  /**
   * The ids of the sessions that the next run queries. A session may close and open again before that
   * run: as objects, both would be queried, and each message would come twice.
   */
  readonly #requested = new Set<string>()
  /** Whether the next run looks for sessions that have started. */
  #isStartCheckDue = false

  constructor({ db, sessions, desks, onError, clock }: Options) {
    this.#db = db
    this.#sessions = sessions
    this.#desks = desks
    this.#task = coalesce(() => this.#refresh(), onError, clock)
  }

  refresh(session_id: string): void {
    if (!this.#sessions.get(session_id)) return
    this.#requested.add(session_id)
    this.#task.run()
  }

  /** Also looks for sessions that have started. */
  refreshAll(): void {
    for (const { _id } of this.#sessions.values()) this.#requested.add(_id)
    this.checkStarts()
  }

  /** Looks for sessions that have started. */
  checkStarts(): void {
    this.#isStartCheckDue = true
    this.#task.run()
  }

  settled(): Promise<void> {
    return this.#task.settled()
  }

  underWayMs(): number {
    return this.#task.underWayMs()
  }

  async #refresh(): Promise<void> {
    const sessions = [...this.#requested].flatMap((id) => this.#sessions.get(id) ?? [])
    this.#requested.clear()
    for (let first = 0; first < sessions.length; first += sessionBatchSize) {
      await refreshSessions(this.#db, sessions.slice(first, first + sessionBatchSize))
    }
    if (!this.#isStartCheckDue) return
    this.#isStartCheckDue = false
    await this.#desks.followStarted(this.#db)
  }
}
