import type { Db } from '../../database/schema.js'
import type { Clock } from '../../process/clock.js'
import { type CoalescedTask, coalesce } from './coalesced-task.js'
import type { Desks } from './desk/desks.js'
import type { OpenSession } from './open-session.js'
import { sessionBatchSize } from './queries.js'
import { refreshSessions } from './refresh-sessions.js'

interface Options {
  db: Db
  desks: Desks
  onError(error: unknown): void
  clock: Clock | undefined
}

/** Queries the changes of open sessions, one query at a time. */
export class Refresher {
  readonly #db: Db
  readonly #desks: Desks
  readonly #task: CoalescedTask
  /** The sessions that the next run queries. */
  readonly #requested = new Set<OpenSession>()
  /** Whether the next run looks for sessions that have started. */
  #isStartCheckDue = false

  constructor({ db, desks, onError, clock }: Options) {
    this.#db = db
    this.#desks = desks
    this.#task = coalesce(() => this.#refresh(), onError, clock)
  }

  refresh(session: OpenSession): void {
    this.#requested.add(session)
    this.#task.run()
  }

  /** Also looks for sessions that have started. */
  refreshAll(sessions: Iterable<OpenSession>): void {
    for (const session of sessions) this.#requested.add(session)
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
    const sessions = [...this.#requested]
    this.#requested.clear()
    for (let first = 0; first < sessions.length; first += sessionBatchSize) {
      await refreshSessions(this.#db, sessions.slice(first, first + sessionBatchSize))
    }
    if (!this.#isStartCheckDue) return
    this.#isStartCheckDue = false
    await this.#desks.followStarted(this.#db)
  }
}
