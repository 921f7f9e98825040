import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Schema } from '../../../shared/forms/schema.js'
import { SessionTime } from '../../../shared/room/session-time.js'
import { written } from '../../../shared/written.js'
import { say } from '../../words/words.js'
import type { DeskRoom } from '../desk-room.js'
import { TalkForm } from './talk-form.js'

interface PrivateTalkProps {
  place: Schema<'ParticipantAssignment'>
  name: string
  words: readonly Schema<'TrainerMessage'>[]
  room: DeskRoom
}

/** What the desk calls a participant. */
export const nameOf = ({ full_name, role_title }: Schema<'ParticipantAssignment'>) =>
  full_name ?? role_title ?? '–'

/** Opens the private words of a place, at the newest and with the focus in their field. */
export function openTalk(room: DeskRoom, place_id: string | null): void {
  room.part.value = 'people'
  room.talk.value = place_id
  room.answering.value = null
  requestAnimationFrame(() => {
    const talk = document.getElementById(`talk-${place_id}`)
    talk?.querySelector('textarea')?.focus({ preventScroll: true })
    talk?.scrollIntoView({ block: 'end' })
  })
}

/** Private words with one participant, which only trainers and that participant read. */
export function PrivateTalk({ place, name, words, room }: PrivateTalkProps) {
  const section = useRef<HTMLElement>(null)
  // New words must not push the field out of view while someone writes.
  useLayoutEffect(() => {
    if (!section.current?.contains(document.activeElement)) return
    section.current.scrollIntoView({ block: 'end' })
  }, [words.length])
  return (
    <section
      ref={section}
      id={`talk-${place._id}`}
      class="talk stack tight"
      aria-label={say('lead.wordsWith', { name })}
    >
      <p class="muted">
        {say('lead.wordsWhy', { name })} {words.length === 0 && say('lead.wordsNone')}
      </p>
      <ul class="waits">
        {words.map((one) => (
          <Words key={one._id} words={one} name={name} />
        ))}
      </ul>
      <TalkForm place_id={place._id} name={name} room={room} />
    </section>
  )
}

function Words({ words, name }: { words: Schema<'TrainerMessage'>; name: string }) {
  const { from_trainer, to_all, sender_name, content, elapsed_ms, created_at } = words
  return (
    <li class={from_trainer ? 'of-trainer' : undefined}>
      <p class="row between">
        <strong>
          {from_trainer ? (sender_name ?? say('lead.trainer')) : name}
          {to_all && <span class="muted"> · {say('trainer.to_all')}</span>}
        </strong>
        <SessionTime elapsed_ms={elapsed_ms} instant={created_at} />
      </p>
      <p class="text" {...written}>
        {content}
      </p>
    </li>
  )
}
