import { hasEnded } from '../../simulation-sessions/lifecycle.js'
import type { Reader } from './access-queries.js'
import {
  expectationFrame,
  lapsedFrames,
  participantFrame,
  presenceFrame,
  statusFrame,
} from './open-sessions/frames.js'
import type { OpenSession } from './open-sessions/open-sessions.js'
import { hasSameClock, type SessionState } from './open-sessions/queries.js'
import { OwnWords } from './own-words.js'
import type { PageSource } from './replay/history.js'
import { OlderMessages } from './replay/older-messages.js'
import { type Piece, Stream } from './stream.js'

/**
 * The stream of one reader of a session. It sends recent messages from memory. When it is further
 * behind, it replays pages of older messages, and holds one page at a time.
 */
export class SessionStream extends Stream {
  readonly session: OpenSession
  readonly #older: OlderMessages
  readonly #words: OwnWords
  /** The `seq` of the last message that was sent. */
  #sent: number
  #sentState: SessionState
  /** Whether the session had not ended when the stream began. */
  readonly #isLive: boolean
  #sentTeam = -1
  #sentPresence = 0
  #sentExpectations = 0
  #hasSentLapsed = false

  constructor(
    session: OpenSession,
    reader: Reader,
    start: { after: number; state: SessionState },
    { source, onEnd }: { source: PageSource; onEnd: () => void },
  ) {
    super(reader, onEnd)
    this.session = session
    this.#sent = start.after
    this.#sentState = start.state
    this.#isLive = !hasEnded(start.state.status)
    if (this.#isLive) session.team.requestSnapshot()
    this.#older = new OlderMessages(source, () => this.wake())
    this.#words = new OwnWords(session, this.#older, reader, start.state.trainer_seq)
  }

  get organization_id(): string {
    return this.session.organization_id
  }

  get session_id(): string {
    return this.session._id
  }

  get seesPresence(): boolean {
    return this.reader.kind === 'trainer'
  }

  get hasAll(): boolean {
    return this.#hasAllMessages && this.#words.hasAll
  }

  get #hasAllMessages(): boolean {
    return this.#sent >= this.session.state.last_seq
  }

  override end(...why: Parameters<Stream['end']>): void {
    this.#older.leave()
    super.end(...why)
  }

  protected opening(): string {
    return statusFrame(this.#sentState)
  }

  protected async nextPiece(): Promise<Piece | null> {
    const participants = this.#isLive && this.#participantEvents() + this.#presenceEvents()
    if (participants) return participants
    const words = this.#words.recent()
    if (words) return words
    const { state } = this.session
    // The status of an ended session comes after its last message.
    const isOver = hasEnded(state.status) && this.hasAll
    const isDifferent = !hasSameClock(state, this.#sentState)
    // Otherwise the stream would end before it says what has lapsed.
    if (isOver && isDifferent && this.session.expectations.isStale) return null
    const lapsed = isOver && this.#expectationEvents()
    if (lapsed) return lapsed
    if (isOver && !this.#hasSentLapsed) {
      this.#hasSentLapsed = true
      const lapsed = lapsedFrames(this.session_id, state)
      if (lapsed) return lapsed
    }
    if (isDifferent && (isOver || !hasEnded(state.status))) return this.#statusEvent()
    if (isOver) {
      // A session without messages has no message id with which a reader could reconnect.
      this.end('session_ended', state.last_seq === 0 ? 0 : null)
      return null
    }
    const expectations = this.#expectationEvents()
    if (expectations) return expectations
    const recent = this.#recentMessages()
    if (recent || !this.#older.hasTurn || this.hasAll) return recent
    const missing = this.#hasAllMessages ? this.#words.replay() : this.#replayPage()
    return (await missing) ?? this.nextPiece()
  }

  /** A stream that lacks older messages waits for a turn to read a page. */
  protected beforeWaiting(): void {
    if (this.hasAll) this.#older.endTurn()
    else this.#older.askForTurn(this.session.organization_id)
  }

  protected afterPiece(): void {
    this.#older.endTurn()
  }

  #statusEvent(): string {
    this.#sentState = this.session.state
    return statusFrame(this.#sentState)
  }

  /** The places that have changed; the first time all places. */
  #participantEvents(): string {
    const { team } = this.session
    const places = team.after(this.#sentTeam)
    this.#sentTeam = team.seq
    return places.map(participantFrame).join('')
  }

  /** What is open, once the reader has all messages, and then what changes. */
  #expectationEvents(): string {
    const { expectations } = this.session
    if (!this.#hasAllMessages || expectations.isStale) return ''
    const changed = expectations.after(this.#sentExpectations)
    this.#sentExpectations = expectations.last
    return changed.map((one) => expectationFrame(this.session_id, one)).join('')
  }

  /** Who came online or went offline; the first time all participants. */
  #presenceEvents(): string {
    if (!this.seesPresence) return ''
    const { presence } = this.session
    const places = presence.after(this.#sentPresence)
    this.#sentPresence = presence.last
    return places.map(presenceFrame).join('')
  }

  /** Returns the missing messages if all of them are in memory. */
  #recentMessages(): Buffer | null {
    const page = this.session.recent.after(this.#sent, this.reader.seesAll)
    if (page) this.#sent = page.last
    return page?.bytes ?? null
  }

  async #replayPage(): Promise<Buffer | null> {
    const { session, reader } = this
    const page = await this.#older.read({
      session,
      seesAll: reader.seesAll,
      after: this.#sent,
    })
    this.#sent = page?.last ?? session.state.last_seq
    return page?.bytes ?? null
  }
}
