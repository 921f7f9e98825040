import type { SessionKey } from '../queries.js'
import { DueQueue, type OrganizationLimits } from './due-queue.js'

interface PoolLimits extends OrganizationLimits {
  /** How many sessions are processed at the same time. */
  concurrency: number
}

type Process = (key: SessionKey) => Promise<boolean>

/** Processes due sessions, several at the same time. */
export class SessionPool {
  readonly #queue: DueQueue
  readonly #inProgress = new Set<Promise<void>>()
  readonly #concurrency: number
  /** Processes one session. Returns whether more is due in it, and never rejects. */
  readonly #process: Process
  #isStopped = false

  constructor({ concurrency, ...limits }: PoolLimits, process: Process) {
    this.#queue = new DueQueue(limits)
    this.#concurrency = concurrency
    this.#process = process
  }

  /** Replaces the waiting sessions and begins to process them. */
  replace(due: readonly SessionKey[]): void {
    this.#queue.replace(due)
    this.#fill()
  }

  /** If the pool is full, waits until one session is done. */
  async whileFull(): Promise<void> {
    if (this.#inProgress.size === this.#concurrency) await Promise.race(this.#inProgress)
  }

  /** Begins no other session, and waits for those in progress. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all(this.#inProgress)
  }

  #fill(): void {
    while (this.#inProgress.size < this.#concurrency && !this.#isStopped) {
      const key = this.#queue.take()
      if (!key) return
      const processing = this.#process(key).then((isMoreDue) => {
        this.#inProgress.delete(processing)
        this.#queue.release(key, isMoreDue)
        this.#fill()
      })
      this.#inProgress.add(processing)
    }
  }
}
