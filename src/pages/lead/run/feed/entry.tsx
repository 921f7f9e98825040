import { useMemo } from 'preact/hooks'
import { Artefact } from '../../../shared/room/artefact.js'
import { beginningOf } from '../../../shared/room/beginning.js'
import type { Message } from '../../../shared/room/messages.js'
import { Prose } from '../../../shared/room/prose.js'
import { isRecorded, Recorded } from '../../../shared/room/recorded.js'
import { SessionTime } from '../../../shared/room/session-time.js'
import { written } from '../../../shared/written.js'
import { durationOf, say } from '../../words/words.js'
import { type DeskRoom, mayInject } from '../desk-room.js'
import { runBetween } from '../real-time.js'

interface EntryProps {
  message: Message
  room: DeskRoom
  isLast: boolean
}

/** One message among what happened: when, who, where, and what it asks or ends. */
export function Entry({ message, room, isLast }: EntryProps) {
  const sender = room.people.value.get(message.sender_id)
  const answered = room.answered.value.get(message._id)
  const answeredName = answered && room.people.value.get(answered.sender_id)?.name
  const mayReply = room.clock.status.value === 'running' && mayInject(room)
  const job = room.jobs.value.get(message.sender_id)
  const { offset_ms, expectation } = message
  const ends_ms = offset_ms + (expectation?.deadline_minutes ?? 0) * 60_000
  const real_ms = runBetween(room, offset_ms, ends_ms)
  const isLate = room.lateAnswers.value.has(message._id)
  const channel = room.channels.value.get(message.conversation_id)
  // A message never changes: the same result keeps a long session fast.
  return useMemo(() => {
    const isPerson = message.sender_kind === 'participant'
    const isOfStory = !isPerson && !message.injected
    const reply = () => {
      room.replyTo.value = message
      document.querySelector<HTMLElement>(`#speak-${room.session_id}`)?.focus()
    }
    return (
      <li class={`event ${isPerson ? 'of-person' : ''}`} data-seq={message.seq} tabIndex={-1}>
        <div class="event-head small">
          <SessionTime elapsed_ms={message.offset_ms} instant={message.posted_at} />
          {isRecorded(message) ? (
            <strong>{say('decision.on_behalf')}</strong>
          ) : (
            <>
              <strong {...written}>{sender?.name ?? '–'}</strong>
              {isPerson ? (
                <span class="chip accent">{sender?.title ?? say('lead.participant')}</span>
              ) : (
                <span class="muted">{job}</span>
              )}
              {message.injected && <span class="chip machine">{say('lead.injected')}</span>}
              {isLate && <span class="chip warn">{say('lead.lateAnswer')}</span>}
            </>
          )}
          <span class="muted">#{channel}</span>
          {mayReply && (
            <button
              type="button"
              class="quiet small event-reply"
              data-reply
              tabIndex={isLast ? 0 : -1}
              onClick={reply}
            >
              {say('lead.reply')}
              <span class="unseen">
                {' '}
                {say('room.reply_to_whom', { name: sender?.name ?? '–' })}
              </span>
            </button>
          )}
        </div>
        {answeredName && (
          <p class="muted small event-root">
            ↳ {answeredName}: {beginningOf(answered.content, quoted)}
          </p>
        )}
        {isRecorded(message) ? (
          <Recorded {...message} />
        ) : (
          <Prose text={message.content} isOfStory={isOfStory} />
        )}
        {message.artefact && <Artefact {...message.artefact} />}
        <Marks message={message} real_ms={real_ms} />
      </li>
    )
  }, [message, sender, answered, answeredName, channel, mayReply, job, real_ms, isLate, isLast])
}

function Marks({ message, real_ms }: { message: Message; real_ms: number }) {
  const { expectation, decides } = message
  if (!expectation && !decides) return null
  return (
    <p class="row small">
      {expectation && (
        <span class="chip warn">
          {say('lead.asks', {
            act: expectation.act,
            time: timeFor(expectation.deadline_minutes, real_ms),
          })}
        </span>
      )}
      {decides && (
        <span class={`chip ${decides.status === 'decided' ? 'good' : 'warn'}`}>
          {say(`lead.decision.${decides.status}`)}
          {decides.on_behalf && ` (${say('lead.onBehalf')})`}
        </span>
      )}
    </p>
  )
}

/** How many minutes of the session there are; beside a faster clock, also in real time. */
function timeFor(count: number, real_ms: number): string {
  const minutes = say('lead.minutes', { count })
  if (Math.round(real_ms) === Math.round(count * 60_000)) return minutes
  return `${minutes}, ${say('lead.realTime', { time: durationOf(real_ms) })}`
}

/** How much of a message is quoted beside its reply. */
export const quoted = 70
