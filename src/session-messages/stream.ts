import { hasEnded } from '../simulation-sessions/lifecycle.js'
import type { Reader } from './access-queries.js'
import { statusFrame, tokenExpiredFrame } from './frames.js'
import type { Source } from './history.js'
import { OlderMessages } from './older-messages.js'
import type { OpenSession } from './open-session.js'
import type { SessionState } from './stream-queries.js'

const tellTheSame = (a: SessionState, b: SessionState) =>
  a.status === b.status && a.anchor_at === b.anchor_at && a.speed === b.speed

/**
 * One reader of a session. It keeps no messages, only how far it has got. Of older messages it holds
 * one page, until its connection has taken it.
 */
export class SessionStream {
  readonly session: OpenSession
  readonly reader: Reader
  readonly #older: OlderMessages
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
    { source, onEnd }: { source: Source; onEnd: () => void },
  ) {
    this.session = session
    this.reader = reader
    this.#sent = begin.after
    this.#told = begin.state
    this.#older = new OlderMessages(source, () => this.wake())
    this.#onEnd = onEnd
  }

  get hasAll(): boolean {
    return this.#sent >= this.session.state.last_seq
  }

  async *events(): AsyncGenerator<string | Buffer, void> {
    yield statusFrame(this.#told)
    try {
      for (let piece = await this.#next(); piece !== null; piece = await this.#next()) {
        this.#lastAt = performance.now()
        yield piece
        this.#older.endTurn()
      }
    } finally {
      this.#older.endTurn()
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
    this.#older.leave()
    this.#onEnd()
    this.wake()
  }

  async #next(): Promise<string | Buffer | null> {
    while (!this.#isEnded) {
      if (this.#isExpired) return this.#tokenExpired()
      const { state } = this.session
      // The last word is that it is over.
      const isOver = hasEnded(state.status) && this.hasAll
      const isDifferent = !tellTheSame(state, this.#told)
      if (isDifferent && (isOver || !hasEnded(state.status))) return this.#status()
      if (isOver) return null
      const recent = this.#recent()
      if (recent) return recent
      if (this.#older.hasTurn && !this.hasAll) {
        const page = await this.#page()
        if (page) return page
      } else if (this.#isCommentDue) return this.#comment()
      else await this.#news()
    }
    return null
  }

  /** Waits for what is new, or where there is something already for a turn to read it. */
  #news(): Promise<void> {
    if (this.hasAll) this.#older.endTurn()
    else this.#older.askForTurn(this.session.organization_id)
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

  /** The recent messages that it lacks, if they are all that it lacks. */
  #recent(): Buffer | null {
    const page = this.session.recent.after(this.#sent, this.reader.seesAll)
    if (page) this.#sent = page.last
    return page?.bytes ?? null
  }

  async #page(): Promise<Buffer | null> {
    const { session, reader } = this
    const place = { session, seesAll: reader.seesAll, after: this.#sent }
    const page = await this.#older.read(place)
    this.#sent = page?.last ?? session.state.last_seq
    return page?.bytes ?? null
  }
}
