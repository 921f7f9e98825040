import { Turns } from '../../turns/turns.js'
import type { SessionKey } from '../queries.js'

interface PoolLimits {
  /** How many sessions are processed at the same time. */
  capacity: number
  /** How many of them one organization leaves to others. */
  reserve: number
}

/** An organization is slow when one of its sessions takes longer. Slow ones share two turns. */
const slowness = { ms: 500, capacity: 2 }

/** Processes one session. Returns whether more is due in it, and never rejects. */
type Process = (key: SessionKey) => Promise<boolean>

/** Processes due sessions, several at the same time. Organizations take turns. */
export class SessionPool {
  readonly #turns: Turns
  readonly #capacity: number
  readonly #process: Process
  /** The ids of the sessions that wait or are in progress. */
  readonly #known = new Set<string>()
  readonly #inProgress = new Set<Promise<boolean>>()
  #isStopped = false

  constructor({ capacity, reserve }: PoolLimits, process: Process) {
    this.#turns = new Turns({ capacity, reserve, slowness })
    this.#capacity = capacity
    this.#process = process
  }

  /** Adds the sessions that do not wait yet. */
  add(due: readonly SessionKey[]): void {
    // A random order, so that two processes seldom claim the same session.
    const shuffled = due.map((key) => ({ key, at: Math.random() })).sort((a, b) => a.at - b.at)
    for (const { key } of shuffled) if (!this.#known.has(key._id)) void this.#processAll(key)
  }

  /** If the pool is full, waits until one session is done. */
  async whileFull(): Promise<void> {
    if (this.#inProgress.size === this.#capacity) await Promise.race(this.#inProgress)
  }

  /** Begins no other session, and waits for those in progress. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all(this.#inProgress)
  }

  /** Processes a session until nothing more is due in it, each time in a new turn. */
  async #processAll(key: SessionKey): Promise<void> {
    this.#known.add(key._id)
    let isMoreDue = true
    while (isMoreDue && !this.#isStopped) {
      isMoreDue = await this.#turns.run(key.organization_id, () => this.#processOnce(key))
    }
    this.#known.delete(key._id)
  }

  async #processOnce(key: SessionKey): Promise<boolean> {
    if (this.#isStopped) return false
    const processing = this.#process(key)
    this.#inProgress.add(processing)
    return processing.finally(() => this.#inProgress.delete(processing))
  }
}
