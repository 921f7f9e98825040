import { hasEnded } from '../simulation-sessions/lifecycle.js'
import type { StoredMessage } from '../simulation-sessions/message-queries.js'
import type { Reader } from './access-queries.js'
import { messageFrame, statusFrame, tokenExpiredFrame } from './frames.js'
import type { OpenSession } from './open-session.js'
import type { SessionState } from './stream-queries.js'

const tellTheSame = (a: SessionState, b: SessionState) =>
  a.status === b.status && a.anchor_at === b.anchor_at && a.speed === b.speed

type ReadPage = (after: number) => Promise<StoredMessage[]>

/** One reader of a session. It keeps no messages, only how far it has got. */
export class SessionStream {
  readonly session: OpenSession
  readonly reader: Reader
  readonly #readPage: ReadPage
  readonly #onEnd: () => void
  #sent: number
  #told: SessionState
  #isEnded = false
  #isExpired = false
  #isCommentDue = false
  #lastAt = performance.now()
  #goOn = () => {}

  constructor(
    session: OpenSession,
    reader: Reader,
    begin: { after: number; state: SessionState },
    { readPage, onEnd }: { readPage: ReadPage; onEnd: () => void },
  ) {
    this.session = session
    this.reader = reader
    this.#sent = begin.after
    this.#told = begin.state
    this.#readPage = readPage
    this.#onEnd = onEnd
  }

  get hasAll(): boolean {
    return this.#sent >= this.session.state.last_seq
  }

  async *events(): AsyncGenerator<string, void> {
    yield statusFrame(this.#told)
    for (let piece = await this.#next(); piece !== null; piece = await this.#next()) {
      this.#lastAt = performance.now()
      yield piece
    }
  }

  wake(): void {
    this.#goOn()
  }

  /** Has it say something that means nothing, where it has said nothing for as long. */
  keepAlive(ms: number): void {
    if (performance.now() - this.#lastAt < ms) return
    this.#isCommentDue = true
    this.wake()
  }

  /** Ends with an event that says so when the reader's access token has expired. */
  expire(now: number): void {
    const { expiresAt } = this.reader
    if (expiresAt === null || now < expiresAt) return
    this.#isExpired = true
    this.wake()
  }

  end(): void {
    this.#isEnded = true
    this.#onEnd()
    this.wake()
  }

  async #next(): Promise<string | null> {
    while (!this.#isEnded) {
      if (this.#isExpired) return this.#tokenExpired()
      const { state } = this.session
      // The last word is that it is over.
      const isOver = hasEnded(state.status) && this.hasAll
      const isDifferent = !tellTheSame(state, this.#told)
      if (isDifferent && (isOver || !hasEnded(state.status))) return this.#status()
      if (!this.hasAll) {
        const messages = await this.#messages()
        if (messages !== '') return messages
      } else if (isOver) return null
      else if (this.#isCommentDue) return this.#comment()
      else await this.#news()
    }
    return null
  }

  #news(): Promise<void> {
    return new Promise((resolve) => {
      this.#goOn = resolve
    })
  }

  #tokenExpired(): string {
    this.end()
    return tokenExpiredFrame
  }

  #status(): string {
    this.#told = this.session.state
    return statusFrame(this.#told)
  }

  #comment(): string {
    this.#isCommentDue = false
    return ':\n\n'
  }

  async #messages(): Promise<string> {
    const { recent } = this.session
    const { seesAll } = this.reader
    const fresh = recent.slice(Math.max(this.#sent + 1 - (recent[0]?.seq ?? 0), 0))
    if (fresh[0]?.seq === this.#sent + 1) {
      this.#sent += fresh.length
      return fresh.map(({ full, reduced }) => (seesAll ? full : reduced)).join('')
    }
    const rows = await this.#readPage(this.#sent)
    this.#sent = rows.at(-1)?.seq ?? this.session.state.last_seq
    return rows.map((row) => messageFrame(seesAll, row)).join('')
  }
}
