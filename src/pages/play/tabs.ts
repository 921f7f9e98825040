import type { Tokens } from '../../client/client.js'
import { randomId } from '../shared/stored.js'

/** How long other tabs have to answer. A tab whose browser crashed still counts as open, and never answers. */
const maxWaitMs = 5_000

interface Question {
  place: string
  from: string
  /** Whether the tab that has the place hands it over. */
  takes: boolean
}

interface Answer {
  isHeld: boolean
  /** The login that the tab hands over with the place. */
  tokens: Tokens | null
  from: string
  to: string
}

/** Messages between the tabs of this browser. Each place is open in one tab only. */
class Tabs {
  readonly #id = randomId()
  readonly #channel =
    typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('places')
  #held: { place: string; give: () => Tokens | null } | null = null
  #onAnswer: (answer: Answer) => void = () => {}

  constructor() {
    this.#channel?.addEventListener('message', ({ data }) => this.#hear(data))
    addEventListener('pagehide', () => forgetTab(this.#id))
    addEventListener('pageshow', ({ persisted }) => {
      if (persisted && this.#held) rememberTab(this.#id)
    })
  }

  /** Returns whether another tab has a place open. */
  async isHeld(place: string): Promise<boolean> {
    return (await this.#ask(place, { takes: false })) !== null
  }

  /** Takes a place from another tab. Returns the login of that tab. */
  async take(place: string): Promise<Tokens | null> {
    const answer = await this.#ask(place, { takes: true })
    return answer?.tokens ?? null
  }

  /** Remembers that this tab has a place open, until it gives it to another one. */
  hold(place: string, give: () => Tokens | null): void {
    this.#held = { place, give }
    rememberTab(this.#id)
  }

  release(): void {
    this.#held = null
    forgetTab(this.#id)
  }

  /** Returns the answer of the tab that has a place open; null if there is none. */
  #ask(place: string, { takes }: { takes: boolean }): Promise<Answer | null> {
    const silent = new Set(openTabs().filter((id) => id !== this.#id))
    if (!this.#channel || silent.size === 0) return Promise.resolve(null)
    this.#channel.postMessage({ place, from: this.#id, takes } satisfies Question)
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        for (const id of silent) forgetTab(id)
        resolve(null)
      }, maxWaitMs)
      this.#onAnswer = (answer) => {
        silent.delete(answer.from)
        if (!answer.isHeld && silent.size > 0) return
        clearTimeout(timer)
        resolve(answer.isHeld ? answer : null)
      }
    })
  }

  #hear(message: Question | Answer): void {
    if ('to' in message) {
      if (message.to === this.#id) this.#onAnswer(message)
      return
    }
    const held = this.#held?.place === message.place ? this.#held : null
    const tokens = held && message.takes ? held.give() : null
    const answer: Answer = { isHeld: held !== null, tokens, from: this.#id, to: message.from }
    this.#channel?.postMessage(answer)
  }
}

/** The key under which this browser remembers a tab that has a place open. */
const nameOf = (id: string) => `tab ${id}`

function openTabs(): string[] {
  try {
    return Object.keys(localStorage).flatMap((name) => name.match(/^tab (.+)/)?.[1] ?? [])
  } catch {
    return []
  }
}

function rememberTab(id: string): void {
  try {
    localStorage.setItem(nameOf(id), 'true')
  } catch {
    // Storage is off or full.
  }
}

function forgetTab(id: string): void {
  try {
    localStorage.removeItem(nameOf(id))
  } catch {
    // Storage is off.
  }
}

export const tabs = new Tabs()
