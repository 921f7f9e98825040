import type { Reader } from '../access-queries.js'
import { type Piece, Stream } from '../stream.js'
import type { Desk } from './desk.js'

/** The stream of one reader of all running sessions of an organization. */
export class DeskStream extends Stream {
  readonly desk: Desk
  readonly session_id = null
  readonly #openedAt: number
  #sent = 0
  #isBehind = true

  constructor(desk: Desk, reader: Reader, onEnd: () => void) {
    super(reader, onEnd)
    this.desk = desk
    this.#openedAt = desk.last
  }

  get organization_id(): string {
    return this.desk.organization_id
  }

  /** The number of the last change that was sent. */
  get sent(): number {
    return this.#sent
  }

  /** A comment, so that the answer begins even if no session runs. */
  protected opening(): string {
    return ':\n\n'
  }

  protected async nextPiece(): Promise<Piece | null> {
    const { desk } = this
    this.#isBehind ||= !desk.log.reachesBackTo(this.#sent)
    if (this.#isBehind) {
      const { text, last, isMore } = desk.snapshotAfter(this.#sent, this.#openedAt)
      this.#sent = last
      this.#isBehind = isMore
      if (text) return text
    }
    const next = desk.log.after(this.#sent)
    if (!next) return null
    this.#sent = next.number
    return next.bytes
  }

  protected beforeWaiting(): void {}

  protected afterPiece(): void {}
}
