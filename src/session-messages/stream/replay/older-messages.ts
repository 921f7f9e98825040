import type { EndTurn } from '../../../turns/turns.js'
import type { EventPage } from '../open-sessions/recent.js'
import type { PageRequest, PageSource, WordsRequest } from './history.js'

/** Replays older messages and private words to one reader. The reader needs a turn to hold a page. */
export class OlderMessages {
  readonly #source: PageSource
  readonly #wake: () => void
  readonly #leaving = new AbortController()
  #turn: EndTurn | null = null
  #isAsking = false

  /** `wake` is called when a turn begins. */
  constructor(source: PageSource, wake: () => void) {
    this.#source = source
    this.#wake = wake
  }

  get hasTurn(): boolean {
    return this.#turn !== null
  }

  read(request: PageRequest): Promise<EventPage | null> {
    return this.#source.read(request)
  }

  readWords(request: WordsRequest): Promise<EventPage | null> {
    return this.#source.readWords(request)
  }

  askForTurn(organization_id: string): void {
    if (this.#isAsking || this.#turn) return
    this.#isAsking = true
    const begin = (turn: EndTurn | null) => {
      this.#isAsking = false
      this.#turn = turn
      if (this.#leaving.signal.aborted) this.endTurn()
      this.#wake()
    }
    this.#source.takeTurn(organization_id, this.#leaving.signal).then(begin, () => begin(null))
  }

  endTurn(): void {
    this.#turn?.()
    this.#turn = null
  }

  /** Stops waiting for a turn. A turn under way lasts until the connection has taken its page. */
  leave(): void {
    this.#leaving.abort()
  }
}
