import { LRUCache } from 'lru-cache'
import { quotaExceeded } from '../../errors.js'
import { minuteMs } from '../../process/clock.js'

/** Counts the messages that users and seats post in a minute. Each process counts its own. */
export class MessageRates {
  readonly #minutes = new LRUCache<string, { used: number }>({ max: 50_000, ttl: minuteMs })

  /** Counts one more message of a user or seat in a session, or throws 409. */
  take(session_id: string, holder: string, allowed: number): void {
    const key = `${session_id} ${holder}`
    const minute = this.#minutes.get(key) ?? { used: 0 }
    const { used } = minute
    if (used >= allowed) {
      throw quotaExceeded('participant_messages_per_minute', used, allowed)
    }
    minute.used++
    // The minute begins with its first message.
    if (used === 0) this.#minutes.set(key, minute)
  }
}
