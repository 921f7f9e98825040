import { batch, computed, type Signal, signal } from '@preact/signals'
import type { Schema } from '../../../shared/forms/schema.js'
import { hasKeyboard } from '../../../shared/keyboard.js'
import type { Message } from '../../../shared/room/messages.js'
import { mayPass, Outbox } from '../../../shared/room/outbox.js'
import type { Room } from '../../../shared/room/room.js'
import { faultText } from '../../../shared/service.js'
import { readStored, store } from '../../../shared/stored.js'
import { me } from '../../state.js'
import type { Pane, Side, Spot } from './spot.js'

const wide = matchMedia('(min-width: 48rem)')
/** Whether the screen is wide enough for two panes. */
export const isWide = signal(wide.matches)
wide.addEventListener('change', ({ matches }) => {
  isWide.value = matches
})

/** Whether the focus may go into a box, although the reader has not asked to write. */
export const mayWriteAtOnce = () => hasKeyboard && isWide.peek()

/** Whether the reader can see the page. */
export const isVisible = signal(document.visibilityState === 'visible')
document.addEventListener('visibilitychange', () => {
  isVisible.value = document.visibilityState === 'visible'
})

/** What is open in a room, and what its reader has seen of it. */
export class Panes {
  readonly conversation_id = signal<string | null>(null)
  readonly side = signal<Side | null>(null)
  /** The pane that a narrow screen shows. */
  readonly pane = signal<Pane>('list')
  readonly #beneath = signal<Pane>('list')
  readonly spot = computed<Spot>(() => ({
    pane: this.pane.value,
    conversation_id: this.conversation_id.value,
    side: this.side.value,
    beneath: this.#beneath.value,
  }))
  /** The `seq` of the last message that was seen, by conversation, and by thread. */
  readonly seen: Signal<Readonly<Record<string, number>>>
  /** The `seq` after which messages are new since the conversation was opened. */
  readonly newAfter = signal(0)
  /** The decision or question that has just ended, until its outcome is read. */
  readonly outcome = signal<Schema<'SessionDecision'> | Schema<'SessionExpectation'> | null>(null)
  /** The message to show first. */
  readonly target = signal<string | null>(null)
  readonly messages = computed(
    () => this.room.messages.byConversation.value.get(this.conversation_id.value ?? '') ?? [],
  )
  readonly unread = computed(() => this.#countUnread())
  /** Private words to the trainers that are not sent yet. */
  readonly questions: Outbox
  /** What trainers have written to the reader, who has not read it yet. */
  readonly unreadWords = computed(() => this.#unreadPrivate())
  /** How many messages are new where the reader is not now. */
  readonly elsewhere = computed(() => this.#countElsewhere())
  readonly #storedAs: string
  readonly #channelStoredAs: string
  /** The element that had the focus when the side pane was opened. */
  #opener: Element | null = null
  /** The pane whose heading gets the focus, because the reader has just opened it. */
  readonly focus = signal<Pane | null>(null)
  /** Whether the reader has opened that pane to write. */
  isWriting = false

  constructor(readonly room: Room) {
    this.#storedAs = room.storedAs('seen')
    this.#channelStoredAs = room.storedAs('channel')
    this.seen = signal<Readonly<Record<string, number>>>(readStored(this.#storedAs) ?? {})
    this.questions = new Outbox(room.storedAs('questions'), {
      post: async ({ content, client_message_id }) => {
        await room.privateWords.ask(content, client_message_id)
        this.questions.remove(client_message_id)
      },
      faultOf: (error) => (mayPass(error) ? null : faultText(error)),
    })
  }

  /** Opens a conversation, perhaps at a message, and perhaps to write. */
  open(conversation_id: string, target: string | null = null, isWriting = false): void {
    this.#opener = null
    const isAnyNew = (this.unread.peek().get(conversation_id) ?? 0) > 0
    batch(() => {
      if (this.conversation_id.peek() !== conversation_id) this.side.value = null
      this.newAfter.value = isAnyNew ? this.seenIn(conversation_id) : Number.POSITIVE_INFINITY
      this.target.value = target
      this.conversation_id.value = conversation_id
      store(this.#channelStoredAs, conversation_id)
      this.#show('conversation', isWriting)
    })
  }

  /** Opens a conversation beside the list, unless one is open: the last one, or else the first. */
  openFirst(conversation_ids: readonly string[]): void {
    if (this.conversation_id.peek() !== null) return
    const last = readStored<string>(this.#channelStoredAs)
    const first = conversation_ids.find((id) => id === last) ?? conversation_ids[0]
    if (first) this.#turnTo(first)
  }

  #turnTo(conversation_id: string): void {
    if (this.conversation_id.peek() === conversation_id) return
    this.newAfter.value = this.seenIn(conversation_id)
    this.conversation_id.value = conversation_id
  }

  openSide(side: Side, isWriting = false): void {
    this.#opener = document.activeElement
    batch(() => {
      if (this.pane.peek() !== 'side') this.#beneath.value = this.pane.peek()
      this.side.value = side
      if (side.name === 'decisions') this.outcome.value = null
      // A thread is opened to reply.
      this.#show('side', side.name === 'thread' || isWriting)
    })
  }

  /** Goes back from the side to the pane beneath, or from the conversation to the list. */
  back(): void {
    batch(() => {
      const beneath = this.pane.value === 'side' ? this.#beneath.value : 'list'
      this.side.value = null
      this.#show(isWide.value ? 'conversation' : beneath)
    })
  }

  /** Shows again what was shown before. */
  show({ pane, conversation_id, side, beneath }: Spot): void {
    batch(() => {
      if (conversation_id !== null) this.#turnTo(conversation_id)
      this.side.value = side
      this.#beneath.value = beneath
      this.#show(pane)
    })
  }

  /** Focuses the element that opened the side pane. Returns false if it is gone. */
  focusOpener(): boolean {
    const opener = this.#opener
    this.#opener = null
    if (opener instanceof HTMLElement) opener.focus()
    return opener !== null && opener === document.activeElement && opener !== document.body
  }

  #show(pane: Pane, isWriting = false): void {
    this.pane.value = pane
    this.focus.value = pane
    this.isWriting = isWriting
  }

  seenIn(id: string): number {
    return this.seen.value[id] ?? 0
  }

  /** Marks the messages of a conversation or thread up to a `seq` as seen. */
  see(id: string, seq: number): void {
    if (seq <= this.seenIn(id)) return
    this.seen.value = { ...this.seen.value, [id]: seq }
    store(this.#storedAs, this.seen.value)
  }

  seePrivate(seq: number): void {
    this.see('trainer', seq)
  }

  #unreadPrivate() {
    const seen = this.seenIn('trainer')
    const words = this.room.privateWords.all.value
    return words.filter(({ seq, from_trainer }) => from_trainer && seq > seen)
  }

  #countElsewhere(): number {
    const isBeside = isWide.value || this.pane.value === 'conversation'
    const here = isBeside ? this.conversation_id.value : null
    const ids = [...this.room.messages.byConversation.value.keys()]
    return ids.filter((id) => id !== here).flatMap((id) => this.#unreadIn(id)).length
  }

  #unreadIn(conversation_id: string): Message[] {
    const seen = this.seenIn(conversation_id)
    const messages = this.room.messages.byConversation.value.get(conversation_id) ?? []
    return messages.filter(
      ({ seq, sender_id, thread_id }) =>
        seq > seen && seq > this.seenIn(thread_id ?? '') && sender_id !== me.value,
    )
  }

  #countUnread(): Map<string, number> {
    const ids = [...this.room.messages.byConversation.value.keys()]
    return new Map(ids.map((id) => [id, this.#unreadIn(id).length]))
  }
}
