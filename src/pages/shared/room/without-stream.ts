import { signal } from '@preact/signals'
import type { StreamState } from '../../../client/client.js'

/** Just before the client takes a silent stream for lost. */
const patienceMs = 34_000
const everyMs = 5_000

/** Reads by lists what a stream would tell, while there is none. Some proxies hold only streams back. */
export class WithoutStream {
  /** Whether the last read has succeeded. */
  readonly isRead = signal(false)
  readonly #read: () => Promise<unknown>
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(read: () => Promise<unknown>) {
    this.#read = read
  }

  /** Begins soon after the stream has gone, and stops when it is back or over. */
  onState(state: StreamState | 'closed'): void {
    if (state === 'open' || state === 'closed') this.stop()
    else this.#timer ??= setTimeout(() => this.#readAgain(), patienceMs)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.isRead.value = false
  }

  async #readAgain(): Promise<void> {
    const timer = this.#timer
    const isRead = await this.#read().then(
      () => true,
      () => false,
    )
    if (this.#timer !== timer) return
    this.isRead.value = isRead
    this.#timer = setTimeout(() => this.#readAgain(), everyMs)
  }
}
