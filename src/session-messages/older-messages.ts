import type { EndTurn } from '../turns/turns.js'
import type { Page, Place, Source } from './history.js'

/** The older messages of one reader, who holds a page of them only in a turn. */
export class OlderMessages {
  readonly #source: Source
  readonly #wake: () => void
  readonly #leaving = new AbortController()
  #turn: EndTurn | null = null
  #isAsking = false

  /** `wake` is called when a turn begins. */
  constructor(source: Source, wake: () => void) {
    this.#source = source
    this.#wake = wake
  }

  get hasTurn(): boolean {
    return this.#turn !== null
  }

  read(place: Place): Promise<Page | null> {
    return this.#source.read(place)
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

  /** Asks for no turn any more. The one that it has lasts until its page is taken. */
  leave(): void {
    this.#leaving.abort()
  }
}
