import type { Reader } from './access-queries.js'
import { endFrame, retryField, type StreamEnd, tokenExpiredFrame } from './open-sessions/frames.js'

export type Piece = string | Buffer

/** The stream of one connection: waits for events, keeps the connection alive, and ends. */
export abstract class Stream {
  abstract readonly organization_id: string
  /** Null for a stream of all sessions of the organization. */
  abstract readonly session_id: string | null
  readonly reader: Reader
  readonly #onEnd: () => void
  #isEnded = false
  #lastFrame: string | null = null
  #isExpired = false
  #isCommentDue = false
  #isWoken = false
  #lastAt = performance.now()
  #resume = () => {}

  constructor(reader: Reader, onEnd: () => void) {
    this.reader = reader
    this.#onEnd = onEnd
  }

  /** Returns the first event. */
  protected abstract opening(): string

  /** Returns the next piece to send; null if there is none now. */
  protected abstract nextPiece(): Promise<Piece | null>

  /** Is called before the stream waits. */
  protected abstract beforeWaiting(): void

  /** Is called when the connection has taken a piece. */
  protected abstract afterPiece(): void

  protected get isEnded(): boolean {
    return this.#isEnded
  }

  async *events(): AsyncGenerator<Piece, void> {
    yield retryField + this.opening()
    try {
      for (let piece = await this.#next(); piece !== null; piece = await this.#next()) {
        this.#lastAt = performance.now()
        yield piece
        this.afterPiece()
      }
    } finally {
      this.afterPiece()
    }
  }

  wake(): void {
    this.#isWoken = true
    this.#resume()
  }

  /** Sends a comment if nothing was sent for this long. */
  keepAlive(ms: number): void {
    if (performance.now() - this.#lastAt < ms) return
    this.#isCommentDue = true
    this.wake()
  }

  /** Ends the stream with `token_expired` if the access token has expired. */
  expire(now: number): void {
    const { expiresAt } = this.reader
    if (expiresAt === null || now < expiresAt) return
    this.#isExpired = true
    this.wake()
  }

  /** Ends the stream. With a reason, it first sends an `end` event. */
  end(reason: StreamEnd | null = null, id: number | null = null): void {
    this.#isEnded = true
    this.#lastFrame = reason && endFrame(reason, id)
    this.#onEnd()
    this.wake()
  }

  async #next(): Promise<Piece | null> {
    while (!this.#isEnded) {
      if (this.#isExpired) return this.#tokenExpired()
      this.#isWoken = false
      const piece = await this.nextPiece()
      if (piece) return piece
      if (this.#isEnded || this.#isExpired) continue
      if (this.#isCommentDue) return this.#comment()
      await this.#waitForWake()
    }
    const last = this.#lastFrame
    this.#lastFrame = null
    return last
  }

  /** Returns at once if the stream was woken since it last asked for a piece. */
  async #waitForWake(): Promise<void> {
    this.beforeWaiting()
    if (this.#isWoken) return
    await new Promise<void>((resolve) => {
      this.#resume = resolve
    })
  }

  #tokenExpired(): string {
    this.end()
    return tokenExpiredFrame
  }

  #comment(): string {
    this.#isCommentDue = false
    return ':\n\n'
  }
}
