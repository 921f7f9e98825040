import { type Signal, signal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { randomId, readStored, store } from '../shared/stored.js'
import { me } from './me.js'

interface Kept {
  text: string
  id: string
}

/** A text that is being written. This tab keeps it until it is sent. */
export class Draft {
  readonly #name: string
  readonly #kept: Signal<Kept>

  constructor(name: string) {
    this.#name = `draft ${me.value?.user._id} ${name}`
    this.#kept = signal(readStored<Kept>(this.#name) ?? { text: '', id: randomId() })
  }

  get text(): string {
    return this.#kept.value.text
  }

  /** The name of this text, which stays the same while it is sent again. */
  get id(): string {
    return this.#kept.value.id
  }

  readonly write = (text: string): void => {
    this.#kept.value = { text, id: randomId() }
    store(this.#name, text === '' ? null : this.#kept.value)
  }

  /** Forgets the text that was sent. What was written meanwhile stays. */
  sent(id: string): void {
    if (id === this.id) this.write('')
  }
}

export const useDraft = (name: string) => useMemo(() => new Draft(name), [name])
