import { signal } from '@preact/signals'
import { ApiError, isRefusal } from '../../../client/client.js'
import type { Schema } from '../forms/schema.js'
import { randomId, readStored, store } from '../stored.js'

export interface Unsent extends Schema<'NewSessionMessage'> {
  /** Why the service refused it; null while it is being sent. */
  fault: string | null
  /** Whether the service has accepted it. It stays here until the stream delivers it. */
  isPosted: boolean
}

interface Sending {
  /** Posts a message. Throws if the service refuses it or cannot be reached. */
  post(message: Schema<'NewSessionMessage'>): Promise<void>
  /** Returns what to show for a refusal; null if another attempt may succeed. */
  faultOf(error: unknown): string | null
}

const firstPauseMs = 1_000
const longestPauseMs = 15_000

/**
 * The messages that were written here and are not posted yet, in the order in which they were written.
 * They survive a reload. Each keeps its `client_message_id`, so that a repeated attempt posts nothing
 * twice.
 */
export class Outbox {
  readonly unsent = signal<readonly Unsent[]>([])
  /** Whether the service could not be reached at the last attempt. */
  readonly isCut = signal(false)
  readonly #name: string
  readonly #sending: Sending
  #isSending = false
  #endPause: () => void = () => {}
  #isStopped = false

  constructor(name: string, sending: Sending) {
    this.#name = name
    this.#sending = sending
    this.unsent.value = readStored<Unsent[]>(this.#name) ?? []
    void this.#send()
  }

  add(message: Omit<Schema<'NewSessionMessage'>, 'client_message_id'>): void {
    const unsent = { ...message, client_message_id: randomId(), fault: null, isPosted: false }
    this.#change([...this.unsent.value, unsent])
    void this.#send()
  }

  /** Sends a refused message again. */
  retry(id: string): void {
    this.#set(id, { fault: null })
    void this.#send()
  }

  has(id: string): boolean {
    return this.unsent.value.some((one) => one.client_message_id === id)
  }

  /** Forgets a message: it has arrived, or its author takes it back. */
  remove(id: string): void {
    const rest = this.unsent.value.filter((one) => one.client_message_id !== id)
    if (rest.length < this.unsent.value.length) this.#change(rest)
  }

  /** Makes the next attempt now: what was in the way may be gone. */
  hurry(): void {
    this.#endPause()
  }

  /** Ends the attempts. What is unsent stays stored. */
  stop(): void {
    this.#isStopped = true
    this.#endPause()
  }

  async #send(): Promise<void> {
    if (this.#isSending) return
    this.#isSending = true
    for (let pauseMs = firstPauseMs; !this.#isStopped; ) {
      const next = this.unsent.value.find(({ fault, isPosted }) => fault === null && !isPosted)
      if (!next) break
      const { fault: _fault, isPosted: _isPosted, ...message } = next
      try {
        await this.#sending.post(message)
        if (this.#isStopped) break
        this.#set(message.client_message_id, { isPosted: true })
        this.isCut.value = false
        pauseMs = firstPauseMs
      } catch (error) {
        if (this.#isStopped) break
        const fault = this.#sending.faultOf(error)
        if (fault !== null) {
          this.#set(message.client_message_id, { fault })
          continue
        }
        this.isCut.value = isAway(error)
        await this.#pause(Math.max(pauseMs, secondsOf(error) * 1_000))
        pauseMs = Math.min(longestPauseMs, 2 * pauseMs)
      }
    }
    this.isCut.value = false
    this.#isSending = false
  }

  #set(id: string, change: Partial<Unsent>): void {
    this.#change(
      this.unsent.value.map((one) => (one.client_message_id === id ? { ...one, ...change } : one)),
    )
  }

  #change(unsent: readonly Unsent[]): void {
    this.unsent.value = unsent
    // Another tab may have what is stored by now.
    if (this.#isStopped) return
    store(this.#name, unsent.length === 0 ? null : unsent)
  }

  /** Waits; shorter if the device gets its network back before. */
  async #pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#endPause = resolve
      addEventListener('online', this.#endPause)
      setTimeout(resolve, ms)
    })
    removeEventListener('online', this.#endPause)
  }
}

const isAway = (error: unknown) => !(error instanceof ApiError) || error.status >= 500

/** How long the service asks to wait. */
const secondsOf = (error: unknown) => (error instanceof ApiError ? (error.retryAfter ?? 0) : 0)

/** Whether a message waits for another attempt: its author may log in again, or the session goes on. */
export function mayPass(error: unknown): boolean {
  if (!isRefusal(error) || error.status === 401) return true
  const { current_status = '' } = error.body
  return error.code === 'session_not_running' && ['paused', 'failed'].includes(current_status)
}
