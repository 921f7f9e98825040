import { DueSessions, type Shares } from './due-sessions.js'
import type { SessionKey } from './queries.js'

interface Options extends Shares {
  /** How many sessions are dealt with at once. */
  atOnce: number
}

/** Deals with sessions in which something is due, several at a time. */
export class DueTurns {
  readonly #waiting: DueSessions
  readonly #underWay = new Set<Promise<void>>()
  readonly #atOnce: number
  /** Deals with one. Returns whether more may be due in it, and never rejects. */
  readonly #deal: (key: SessionKey) => Promise<boolean>
  #isStopped = false

  constructor({ atOnce, ...shares }: Options, deal: (key: SessionKey) => Promise<boolean>) {
    this.#waiting = new DueSessions(shares)
    this.#atOnce = atOnce
    this.#deal = deal
  }

  /** Replaces those that wait, and begins with them. */
  replace(due: readonly SessionKey[]): void {
    this.#waiting.replace(due)
    this.#begin()
  }

  /** Waits for one to end where as many are under way as may be. */
  async whileStuck(): Promise<void> {
    if (this.#underWay.size === this.#atOnce) await Promise.race(this.#underWay)
  }

  /** Begins with no other one, and ends with those under way. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all(this.#underWay)
  }

  #begin(): void {
    while (this.#underWay.size < this.#atOnce && !this.#isStopped) {
      const key = this.#waiting.take()
      if (!key) return
      const turn = this.#deal(key).then((isStillDue) => {
        this.#underWay.delete(turn)
        this.#waiting.putBack(key, isStillDue)
        this.#begin()
      })
      this.#underWay.add(turn)
    }
  }
}
