import { computed, signal } from '@preact/signals'
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { hasKeyboard } from '../../../shared/keyboard.js'
import { beginningOf } from '../../../shared/room/beginning.js'
import type { Message } from '../../../shared/room/messages.js'
import { written } from '../../../shared/written.js'
import { Draft } from '../../draft.js'
import { sendByKeys } from '../../elements/send-by-keys.js'
import { say } from '../../words/words.js'
import type { DeskRoom } from '../desk-room.js'
import { ChannelOptions } from './channel-options.js'
import { quoted } from './entry.js'

/** Says something as a character, in a channel or in the thread that was chosen to reply to. */
export function Speak({ room }: { room: DeskRoom }) {
  const speech = useMemo(() => new Speech(room), [room])
  const box = useRef<HTMLTextAreaElement>(null)
  const replyTo = room.replyTo.value
  useLayoutEffect(() => {
    if (replyTo) box.current?.focus()
  }, [replyTo])
  const status = room.clock.status.value
  const isPaused = status === 'paused'
  if (status !== 'running') {
    if (!isPaused && room.outbox.unsent.value.length === 0) return null
    return (
      <div class="speak">
        <Unsent room={room} />
        {isPaused && <p class="muted small">{say('lead.speakPaused')}</p>}
      </div>
    )
  }
  const cast = room.briefing.value?.cast ?? []
  return (
    <form
      class="speak"
      onSubmit={(event) => {
        event.preventDefault()
        speech.send()
      }}
    >
      <Unsent room={room} />
      <div class="speak-where small">
        <label class="row">
          {say('lead.speakAs')}
          <select
            value={speech.character.value}
            onChange={({ currentTarget }) => {
              speech.chosen.value = currentTarget.value
            }}
          >
            {cast.map(({ character_id, full_name, title }) => (
              <option key={character_id} value={character_id}>
                {full_name} · {title}
              </option>
            ))}
          </select>
        </label>
        {replyTo ? (
          <span class="row speak-reply">
            <span>{replyLine(room, replyTo)}</span>
            <button
              type="button"
              class="small"
              onClick={() => {
                room.replyTo.value = null
              }}
            >
              {say('lead.noReply')}
            </button>
          </span>
        ) : (
          <label class="row">
            {say('lead.speakIn')}
            <select
              aria-label={say('lead.channel')}
              value={speech.conversation.value}
              onChange={({ currentTarget }) => {
                room.speakIn.value = currentTarget.value
              }}
            >
              <ChannelOptions room={room} />
            </select>
          </label>
        )}
      </div>
      <div class="speak-text">
        <label class="unseen" for={`speak-${room.session_id}`}>
          {say('lead.speakText')}
        </label>
        <textarea
          {...written}
          ref={box}
          id={`speak-${room.session_id}`}
          rows={2}
          maxLength={10_000}
          placeholder={hasKeyboard ? say('lead.speakKeys') : undefined}
          value={speech.words.text}
          onInput={({ currentTarget }) => speech.words.write(currentTarget.value)}
          onKeyDown={sendByKeys}
        />
        <button type="submit" class="primary" aria-disabled={speech.words.text.trim() === ''}>
          {say('lead.speak')}
        </button>
      </div>
    </form>
  )
}

/** Whom a reply answers, where, and what they have said. */
const replyLine = (room: DeskRoom, { sender_id, conversation_id, content }: Message) =>
  say('lead.replyTo', {
    name: room.people.value.get(sender_id)?.name ?? '–',
    channel: room.channels.value.get(conversation_id) ?? '',
    text: beginningOf(content, quoted),
  })

/** What a character is about to say. */
class Speech {
  readonly words: Draft
  /** The character that the trainer has chosen. */
  readonly chosen = signal('')
  readonly character
  readonly conversation
  readonly #room: DeskRoom

  constructor(room: DeskRoom) {
    this.#room = room
    this.words = new Draft(`speech ${room.session_id}`)
    this.character = computed(
      () => this.chosen.value || (room.briefing.value?.cast[0]?.character_id ?? ''),
    )
    this.conversation = computed(
      () => room.speakIn.value || (room.briefing.value?.channels[0]?.conversation_id ?? ''),
    )
  }

  send(): void {
    const content = this.words.text.trim()
    if (content === '') return
    const { replyTo, outbox } = this.#room
    const to = replyTo.value
    const thread_id = to?.thread_id ?? to?._id
    outbox.add({
      conversation_id: to?.conversation_id ?? this.conversation.value,
      ...(thread_id && { thread_id }),
      as_character_id: this.character.value,
      content,
    })
    this.words.write('')
    replyTo.value = null
    this.#room.feed.isAtEnd.value = true
  }
}

/** The messages that are not delivered yet. */
function Unsent({ room }: { room: DeskRoom }) {
  return room.outbox.unsent.value.map(({ client_message_id, content, fault }) => (
    <p key={client_message_id} class={`small notice ${fault ? 'bad' : ''}`}>
      {fault ?? say('lead.sending')}{' '}
      <span class="muted" {...written}>
        {content}
      </span>
      {fault && (
        <span class="row">
          <button type="button" class="small" onClick={() => room.outbox.retry(client_message_id)}>
            {say('action.retry')}
          </button>
          <button
            type="button"
            class="quiet small"
            onClick={() => room.outbox.remove(client_message_id)}
          >
            {say('lead.discard')}
          </button>
        </span>
      )}
    </p>
  ))
}
