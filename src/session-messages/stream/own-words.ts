import type { Reader } from './access-queries.js'
import type { OpenSession } from './open-sessions/open-sessions.js'
import type { OlderMessages } from './replay/older-messages.js'

/** The private words that one reader of a session may see, and how many of them were sent. */
export class OwnWords {
  readonly #session: OpenSession
  readonly #older: OlderMessages
  /** Only the events of this user; null for all. */
  readonly #user_id: string | null
  /** The number of the last word that was sent, or skipped because it is for others. */
  #sent: number

  constructor(session: OpenSession, older: OlderMessages, reader: Reader, sent: number) {
    this.#session = session
    this.#older = older
    this.#user_id = reader.kind === 'trainer' ? null : reader.user_id
    this.#sent = sent
  }

  get hasAll(): boolean {
    return this.#sent >= this.#session.words.seq
  }

  /** Returns the missing words if all of them are in memory. */
  recent(): Buffer | null {
    if (this.hasAll) return null
    const { words } = this.#session
    const bytes = words.after(this.#sent, this.#user_id)
    if (bytes) this.#sent = words.seq
    return bytes && bytes.length > 0 ? bytes : null
  }

  /** Reads the next page of missing words; null if there are no more. */
  async replay(): Promise<Buffer | null> {
    const session = this.#session
    const { seq } = session.words
    const request = { session, user_id: this.#user_id, after: this.#sent }
    const page = await this.#older.readWords(request)
    this.#sent = page?.last ?? seq
    return page?.bytes ?? null
  }
}
