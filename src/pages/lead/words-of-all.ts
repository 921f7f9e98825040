import { computed, type Signal, signal } from '@preact/signals'
import type { Schema } from '../shared/forms/schema.js'
import { PrivateWords } from '../shared/room/private-words.js'
import { readStored, store } from '../shared/stored.js'
import { may } from './me.js'

type Words = Schema<'TrainerMessage'>

/** Words to all participants count as no answer. */
const isAnswer = ({ from_trainer, to_all }: Words) => from_trainer && !to_all

/** The private words of all participants, which raters may not read. */
export class WordsOfAll extends PrivateWords {
  /** Up to which `seq` the words of each place need no answer, as the trainer says in this tab. */
  readonly #settled: Signal<Record<string, number>>
  readonly #settledAs: string

  /** The words that wait for an answer, by place. */
  readonly asking = computed(() => {
    const asking = new Map<string, Words[]>()
    for (const one of this.all.value) {
      const { assignment_id, seq } = one
      if (isAnswer(one)) asking.delete(assignment_id)
      else if (!one.from_trainer && seq > (this.#settled.value[assignment_id] ?? 0)) {
        asking.set(assignment_id, [...(asking.get(assignment_id) ?? []), one])
      }
    }
    return asking
  })

  /** The words of all places that wait for an answer. */
  readonly waiting = computed(() => [...this.asking.value.values()].flat())

  constructor(session_id: string, user_id: string) {
    super(session_id)
    this.#settledAs = `settled ${session_id} ${user_id}`
    this.#settled = signal(readStored(this.#settledAs) ?? {})
  }

  override async read(): Promise<void> {
    if (may('answerParticipant')) await super.read()
  }

  /** Takes the words of a place up to these out of those that wait. */
  settle({ assignment_id, seq }: Words): void {
    this.#settled.value = { ...this.#settled.value, [assignment_id]: seq }
    store(this.#settledAs, this.#settled.value)
  }

  /** The place that is answered after another one. Several come in turn. */
  nextAfter(place_id: string | null): string | null {
    const places: (string | null)[] = [...this.asking.value.keys()]
    return places[(places.indexOf(place_id) + 1) % places.length] ?? null
  }
}
