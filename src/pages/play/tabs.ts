import type { Tokens } from '../../client/client.js'
import { randomId } from '../shared/stored.js'

/** How long another tab has to answer. */
const patienceMs = 250

/** What a tab hands over with a place. */
export interface Handover {
  tokens: Tokens | null
  /** What the tab has kept for the place, by name. */
  kept: Record<string, unknown>
}

type Word =
  | { ask: string; from: string }
  | { held: string; to: string }
  | { take: string; from: string }
  | { given: string; to: string; handover: Handover }

/** Messages between the tabs of this browser. Each place is open in one tab only. */
class Tabs {
  readonly #id = randomId()
  readonly #channel =
    typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('places')
  #held: { place: string; give: () => Handover } | null = null
  #onWord: (word: Word) => void = () => {}

  constructor() {
    this.#channel?.addEventListener('message', ({ data }) => this.#hear(data))
  }

  /** Returns whether another tab has a place open. */
  async isHeld(place: string): Promise<boolean> {
    const word = await this.#say({ ask: place, from: this.#id }, (one) => 'held' in one)
    return word !== null
  }

  /** Takes a place from another tab, with what it hands over. */
  async take(place: string): Promise<Handover | null> {
    const word = await this.#say({ take: place, from: this.#id }, (one) => 'given' in one)
    return word && 'given' in word ? word.handover : null
  }

  /** Remembers that this tab has a place open, until it gives it to another one. */
  hold(place: string, give: () => Handover): void {
    this.#held = { place, give }
  }

  release(): void {
    this.#held = null
  }

  #say(word: Word, isAnswer: (word: Word) => boolean): Promise<Word | null> {
    if (!this.#channel) return Promise.resolve(null)
    this.#channel.postMessage(word)
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(null), patienceMs)
      this.#onWord = (one) => {
        if (!isAnswer(one)) return
        clearTimeout(timer)
        resolve(one)
      }
    })
  }

  #hear(word: Word): void {
    const held = this.#held
    if ('to' in word) {
      if (word.to === this.#id) this.#onWord(word)
    } else if ('ask' in word) {
      if (word.ask === held?.place) this.#channel?.postMessage({ held: word.ask, to: word.from })
    } else if (word.take === held?.place) {
      const handover = held.give()
      this.#channel?.postMessage({ given: word.take, to: word.from, handover })
    }
  }
}

export const tabs = new Tabs()
