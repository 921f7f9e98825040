import { type Signal, signal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { randomId, readStored, store } from '../shared/stored.js'
import { me } from './me.js'

/** What is being entered into a form. This tab keeps it until it is sent. It is not for secrets. */
export class Kept<Fields extends object> {
  readonly #name: string
  readonly #fields: Signal<Fields>

  constructor(name: string, first: Fields) {
    this.#name = `draft ${me.value?.user._id} ${name}`
    this.#fields = signal({ ...first, ...readStored<Partial<Fields>>(this.#name) })
  }

  get fields(): Fields {
    return this.#fields.value
  }

  readonly set = (changed: Partial<Fields>): void => {
    this.#fields.value = { ...this.#fields.value, ...changed }
    store(this.#name, this.#fields.value)
  }

  /** Keeps it no longer. The form still shows it. */
  forget(): void {
    store(this.#name, null)
  }
}

/** The values of a form, of which `first` are shown in an untouched one. */
export const useKept = <Fields extends object>(name: string, first: Fields) =>
  useMemo(() => new Kept(name, first), [name])

/** A text that is being written. */
export class Draft {
  readonly #kept: Kept<{ text: string; id: string }>

  constructor(name: string) {
    this.#kept = new Kept(name, { text: '', id: randomId() })
  }

  get text(): string {
    return this.#kept.fields.text
  }

  /** The name of this text, which stays the same while it is sent again. */
  get id(): string {
    return this.#kept.fields.id
  }

  readonly write = (text: string): void => {
    this.#kept.set({ text, id: randomId() })
    if (text === '') this.#kept.forget()
  }

  /** Forgets the text that was sent. What was written meanwhile stays. */
  sent(id: string): void {
    if (id === this.id) this.write('')
  }
}

export const useDraft = (name: string) => useMemo(() => new Draft(name), [name])
