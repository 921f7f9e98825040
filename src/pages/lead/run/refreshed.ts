import { type Signal, signal } from '@preact/signals'
import { isRefusal } from '../../../client/client.js'

const collectMs = 200
const againMs = 5_000

/**
 * Something that is read once, and again after changes: once for all that come together. A refusal
 * ends it.
 */
export class Refreshed<Value> {
  readonly value: Signal<Value | null> = signal(null)
  /** Whether the user may not read it. */
  readonly isRefused: Signal<boolean> = signal(false)
  readonly #read: () => Promise<Value>
  #timer: ReturnType<typeof setTimeout> | null = null
  #isClosed = false

  constructor(read: () => Promise<Value>) {
    this.#read = read
  }

  async load(): Promise<void> {
    const value = await this.#read()
    if (!this.#isClosed) this.value.value = value
  }

  /** Reads it again soon. */
  again(afterMs = collectMs): void {
    if (this.#isClosed || this.isRefused.value) return
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      this.load().catch((error: unknown) => {
        if (isRefusal(error)) this.isRefused.value = true
        else this.again(againMs)
      })
    }, afterMs)
  }

  close(): void {
    this.#isClosed = true
    if (this.#timer) clearTimeout(this.#timer)
  }
}
