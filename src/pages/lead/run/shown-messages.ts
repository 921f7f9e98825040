import { computed, signal } from '@preact/signals'
import type { Message, Messages } from '../../shared/room/messages.js'

/** How many messages are drawn at first. */
const page = 150
/** How many messages before one that was asked for are drawn too. */
const around = 20

/** Which messages are shown. */
export class Feed {
  readonly channel = signal<string | null>(null)
  readonly isAtEnd = signal(true)
  /** The `seq` of a message that was asked for and is not drawn yet. */
  readonly wanted = signal<number | null>(null)
  /** Paper has no button for more: all messages are drawn while the page is printed. */
  readonly isPrinted = signal(false)
  readonly #limit = signal(page)
  readonly #seen = signal(0)
  readonly matching
  readonly shown
  readonly unseen

  constructor(messages: Messages) {
    this.matching = computed(() => {
      const { value: channel } = this.channel
      const all = messages.all.value
      return channel === null ? all : all.filter((one) => one.conversation_id === channel)
    })
    this.shown = computed(() =>
      this.isPrinted.value ? this.matching.value : this.matching.value.slice(-this.#limit.value),
    )
    this.unseen = computed(() =>
      this.isAtEnd.value
        ? 0
        : this.matching.value.filter((one) => one.seq > this.#seen.value).length,
    )
  }

  /** Everything that is shown now counts as seen. */
  seen(): void {
    this.#seen.value = this.matching.value.at(-1)?.seq ?? 0
  }

  /** Shows one message, also if another channel or only newer messages were shown. */
  show(seq: number): void {
    const isMatching = (one: Message) => one.seq === seq
    if (!this.matching.value.some(isMatching)) this.channel.value = null
    const { value: matching } = this.matching
    const index = matching.findIndex(isMatching)
    if (index < 0) return
    this.#limit.value = Math.max(this.#limit.value, matching.length - index + around)
    if (this.isAtEnd.value) this.seen()
    this.isAtEnd.value = false
    this.wanted.value = seq
  }

  more(): void {
    this.#limit.value += page
  }
}

/**
 * What each reply answers: what the service says it answers; else, for people, the last message
 * before it in the thread. The lines of the story answer the message that began the thread.
 */
export function answeredIn(messages: readonly Message[]): Map<string, Message> {
  const byId = new Map(messages.map((one) => [one._id, one]))
  const last = new Map<string, Message>()
  const answered = new Map<string, Message>()
  for (const message of messages) {
    const { _id, thread_id, answers, sender_kind, injected } = message
    if (thread_id === null) continue
    const isOfStory = sender_kind === 'character' && !injected
    const before = isOfStory ? undefined : last.get(thread_id)
    const it = byId.get(answers[0] ?? '') ?? before ?? byId.get(thread_id)
    if (it) answered.set(_id, it)
    last.set(thread_id, message)
  }
  return answered
}
