import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Schema } from '../../../shared/forms/schema.js'
import { SessionTime } from '../../../shared/room/session-time.js'
import { Story } from '../../../shared/room/story.js'
import { written } from '../../../shared/written.js'
import { say } from '../../words/words.js'
import type { DeskRoom } from '../desk-room.js'
import { endOf, leftUntil } from '../real-time.js'
import { AnswerHere } from '../team/answer-here.js'

type Expectation = Schema<'SessionExpectation'>

/** Requests to the team, the next deadline first; private words; and requests that had no answer in time. */
export function Waits({ room }: { room: DeskRoom }) {
  const all = room.requests.value
  const open = all
    .filter(({ status }) => status === 'open')
    .sort((a, b) => (a.due_at ?? '').localeCompare(b.due_at ?? ''))
  const asking = [...room.privateWords.asking.value.values()].flatMap((words) => words.at(-1) ?? [])
  const lapsed = all.filter(({ status, answered_late }) => status === 'lapsed' || answered_late)
  const words = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => {
    if (!room.leadsToWords || !words.current) return
    room.leadsToWords = false
    const isWriting = document.activeElement?.matches('input, textarea, select')
    if (!isWriting) words.current.scrollIntoView()
  }, [asking.length > 0])
  return (
    <section class="stack tight">
      <h2>{say('lead.waitsTitle')}</h2>
      {open.length + asking.length === 0 && <p class="muted small">{say('lead.noWaits')}</p>}
      {open.length > 0 && (
        <>
          <h3>{say('lead.waitsTeam')}</h3>
          <ul class="waits">
            {open.map((one) => (
              <Wait key={one.message_id} expectation={one} room={room} />
            ))}
          </ul>
        </>
      )}
      {asking.length > 0 && (
        <>
          <h3 ref={words}>{say('lead.waitsPrivate')}</h3>
          <ul class="waits">
            {asking.map((words) => (
              <PrivateWait key={words.assignment_id} words={words} room={room} />
            ))}
          </ul>
        </>
      )}
      {lapsed.length > 0 && (
        <details class="small">
          <summary>{say('lead.lapsed', { count: lapsed.length })}</summary>
          <ul class="waits">
            {lapsed.map((one) => (
              <Wait key={one.message_id} expectation={one} room={room} />
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}

/** Private words that wait: the trainer answers them, or says that they need no answer. */
function PrivateWait({ words, room }: { words: Schema<'TrainerMessage'>; room: DeskRoom }) {
  const { assignment_id, sender_name, elapsed_ms, created_at } = words
  const all = room.privateWords.asking.value.get(assignment_id) ?? []
  return (
    <li class="small">
      <p class="row between">
        <strong {...written}>{sender_name ?? '–'}</strong>
        <span class="row muted">
          <SessionTime elapsed_ms={elapsed_ms} instant={created_at} />
          <span class="chip warn">{say('lead.wordsPrivate')}</span>
        </span>
      </p>
      {all.map(({ _id, content }) => (
        <p key={_id} class="text" {...written}>
          {content}
        </p>
      ))}
      <AnswerHere words={words} room={room} />
    </li>
  )
}

function Wait({ expectation, room }: { expectation: Expectation; room: DeskRoom }) {
  const { asked_by, act, due_at, deadline_minutes, status, seq, conversation_id, message_id } =
    expectation
  const { answered_late } = expectation
  return (
    <li class="small">
      <p class="row between">
        <strong>{room.people.value.get(asked_by)?.name}</strong>
        {status === 'open' && due_at && (
          <span class={`chip ${room.clock.until(due_at) < 60_000 ? 'bad' : 'warn'}`}>
            {leftUntil(room, due_at)}
          </span>
        )}
        {answered_late && <span class="chip warn">{say('lead.lateAnswer')}</span>}
      </p>
      <Story as="p">{act}</Story>
      <p class="row between muted">
        <span>
          #{room.channels.value.get(conversation_id)}
          {status === 'open' && <> · {endOf(room, message_id, deadline_minutes)}</>}
        </span>
        <button type="button" class="quiet small" onClick={() => room.show(seq)}>
          {say('lead.show')}
          <span class="unseen"> {act}</span>
        </button>
      </p>
    </li>
  )
}
