import type { Schema } from '../../../shared/forms/schema.js'
import type { Message } from '../../../shared/room/messages.js'
import { Story } from '../../../shared/room/story.js'
import { say } from '../../../shared/words/words.js'
import { me } from '../../state.js'
import { timeLeft, whomFor } from '../decisions/whom.js'
import { draftOf, putIntoDraft } from '../drafts.js'
import type { Panes } from '../panes/panes.js'

interface AskedProps {
  panes: Panes
  message: Message
  /** Whether the box for the answer is below already. */
  isInThread: boolean
}

/** What a message asks of the team, until when, and whether it has happened. */
export function Asked({ panes, message, isInThread }: AskedProps) {
  const { expectation } = message
  if (!expectation) return null
  if (expectation.decision) return <AskedDecision panes={panes} beat={expectation.decision.beat} />
  const root_id = message.thread_id ?? message._id
  const answer = (text?: string) => {
    if (text) putIntoDraft(draftOf(panes.room, message.conversation_id, root_id), text)
    panes.openSide({ name: 'thread', root_id })
  }
  const found = panes.room.expectations.value.find(({ message_id }) => message_id === message._id)
  const isOpen = found?.status === 'open'
  return (
    <div class={isOpen ? 'asked open' : 'asked'}>
      <p>
        <strong>{say('asked.please')}</strong> <Story>{expectation.act}</Story>
      </p>
      <p class="small muted">
        {isOpen && whomFor(panes.room, null)} {found && stateOf(panes, found)}
      </p>
      {isOpen && (
        <div class="row">
          {expectation.options.map((option) => (
            <Story as="button" type="button" key={option} onClick={() => answer(option)}>
              {option}
            </Story>
          ))}
          {!isInThread && (
            <button type="button" class="primary" onClick={() => answer()}>
              {say('asked.answer')}
            </button>
          )}
        </div>
      )}
    </div>
  )
}

function stateOf({ room }: Panes, found: Schema<'SessionExpectation'>): string {
  const { status, due_at, answered_by, answered_late } = found
  if (status === 'answered') {
    const isOwn = answered_by === me.value
    const name = room.people.value.get(answered_by ?? '')?.name
    const answered = isOwn
      ? say('asked.answered_by_you')
      : say('asked.answered', { name: name ?? '–' })
    return answered_late ? `${answered}, ${say('asked.late')}` : answered
  }
  if (status === 'lapsed') return say('asked.lapsed')
  return timeLeft(room, { ...found, at: due_at })
}

/** The message that asks for a decision leads to it. */
function AskedDecision({ panes, beat }: { panes: Panes; beat: string }) {
  const decision = panes.room.decisions.value.find((one) => one.beat === beat)
  const isOpen = decision?.status === 'open'
  return (
    <div class={isOpen ? 'asked open' : 'asked'}>
      <p>
        <strong>{say('decision.asked')}</strong> <Story>{decision?.question}</Story>
      </p>
      {isOpen && (
        <p class="small muted">
          {whomFor(panes.room, decision)}{' '}
          {timeLeft(panes.room, { ...decision, at: decision.deadline_at })}
        </p>
      )}
      <div class="row">
        <button
          type="button"
          class={isOpen ? 'primary' : undefined}
          onClick={() => panes.openSide({ name: 'decisions' })}
        >
          {say(isOpen ? 'decision.look' : 'decision.see')}
        </button>
      </div>
    </div>
  )
}
