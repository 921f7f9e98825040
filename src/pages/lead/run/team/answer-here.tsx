import { useRef } from 'preact/hooks'
import { keepingFocus } from '../../../shared/forms/action-button.js'
import type { Schema } from '../../../shared/forms/schema.js'
import { keyOf } from '../../../shared/keyboard.js'
import { say } from '../../words/words.js'
import type { DeskRoom } from '../desk-room.js'
import { TalkForm } from './talk-form.js'

interface AnswerHereProps {
  /** The newest private words of a place that wait for an answer. */
  words: Schema<'TrainerMessage'>
  room: DeskRoom
}

/** Answers private words that wait, or closes them without an answer. */
export function AnswerHere({ words, room }: AnswerHereProps) {
  const { answering, talk, privateWords } = room
  const { assignment_id, sender_name } = words
  const button = useRef<HTMLButtonElement>(null)
  const isOpen = answering.value === assignment_id
  const box = `answer-${assignment_id}`
  const open = () => {
    answering.value = assignment_id
    // Two open fields would be two drafts of the same answer.
    if (talk.value === assignment_id) talk.value = null
    requestAnimationFrame(() => {
      const form = document.getElementById(box)
      form?.querySelector('textarea')?.focus({ preventScroll: true })
      form?.scrollIntoView({ block: 'nearest' })
    })
  }
  const close = () => {
    answering.value = null
    button.current?.focus()
  }
  const settle = (from: HTMLElement) =>
    keepingFocus(from, async () => {
      answering.value = null
      privateWords.settle(words)
    })
  const name = <span class="unseen"> {sender_name}</span>
  return (
    <>
      <p class="row wait-ways">
        <button
          ref={button}
          type="button"
          class="small"
          aria-expanded={isOpen}
          onClick={isOpen ? close : open}
        >
          {say('lead.wordsReply')}
          {name}
        </button>
        <button
          type="button"
          class="small"
          onClick={({ currentTarget }) => void settle(currentTarget)}
        >
          {say('lead.wordsSettled')}
          {name}
        </button>
      </p>
      {isOpen && (
        <section
          id={box}
          aria-label={say('lead.wordsWith', { name: sender_name ?? '–' })}
          onKeyDown={(event) => keyOf(event) === 'Escape' && close()}
        >
          <TalkForm place_id={assignment_id} name={sender_name ?? '–'} room={room} />
        </section>
      )}
    </>
  )
}
