import { computed, signal } from '@preact/signals'
import type { Schema } from '../forms/schema.js'

export type Message = Schema<'SessionMessage'>

/** A message that begins a thread, and its replies. */
export interface Thread {
  root: Message
  replies: Message[]
}

/** The messages of a session, sorted by `seq`, each once. */
export class Messages {
  readonly all = signal<readonly Message[]>([])
  readonly byConversation = computed(() => group(this.all.value))
  readonly threads = computed(() => threadsOf(this.all.value))
  readonly byId = computed(() => new Map(this.all.value.map((one) => [one._id, one])))
  #arrived: Message[] = []
  #timer: ReturnType<typeof setTimeout> | null = null

  /** The `seq` of the last message without a gap before it. */
  get last(): number {
    return this.#arrived.at(-1)?.seq ?? this.all.value.at(-1)?.seq ?? 0
  }

  /** Adds messages. Those that arrive together are shown together, so that a long history is drawn once. */
  add(messages: readonly Message[]): void {
    for (const message of messages) if (message.seq > this.last) this.#arrived.push(message)
    this.#timer ??= setTimeout(() => this.show(), 30)
  }

  /** Shows what has arrived. */
  show(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#arrived.length === 0) return
    this.all.value = [...this.all.value, ...this.#arrived]
    this.#arrived = []
  }
}

/** Returns the first message of each sender. */
export const firstOfEach = (messages: readonly Message[]): ReadonlySet<Message> =>
  new Set(new Map(messages.toReversed().map((one) => [one.sender_id, one])).values())

/** Groups messages by conversation and thread. Threads are sorted by their first message. */
function threadsOf(messages: readonly Message[]): Map<string, Thread[]> {
  const byConversation = new Map<string, Thread[]>()
  const byRoot = new Map<string, Thread>()
  for (const message of messages) {
    const thread = message.thread_id === null ? undefined : byRoot.get(message.thread_id)
    if (thread) {
      thread.replies.push(message)
      continue
    }
    const begun = { root: message, replies: [] }
    byRoot.set(message._id, begun)
    const known = byConversation.get(message.conversation_id)
    if (known) known.push(begun)
    else byConversation.set(message.conversation_id, [begun])
  }
  return byConversation
}

function group(messages: readonly Message[]): Map<string, Message[]> {
  const groups = new Map<string, Message[]>()
  for (const message of messages) {
    const known = groups.get(message.conversation_id)
    if (known) known.push(message)
    else groups.set(message.conversation_id, [message])
  }
  return groups
}
