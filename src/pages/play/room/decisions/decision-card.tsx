import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Schema } from '../../../shared/forms/schema.js'
import type { Room } from '../../../shared/room/room.js'
import { Story } from '../../../shared/room/story.js'
import { say } from '../../../shared/words/words.js'
import type { Panes } from '../panes/panes.js'
import { Choice } from './choice.js'
import { mayDecide } from './deadlines.js'
import { Options } from './outcome.js'
import { MissedChoice } from './unsent-choice.js'
import { timeLeft, whomFor } from './whom.js'

type Decision = Schema<'SessionDecision'>

interface DecisionProps {
  panes: Panes
  decision: Decision
}

/** A decision: the question, the options with what they cost, who decides until when, and how it ended. */
export function DecisionCard({ panes, decision }: DecisionProps) {
  const { room } = panes
  const role_key = room.briefing.value?.role?.role_key
  const isOpen = decision.status === 'open'
  const isMine = mayDecide(decision, role_key)
  const heading = useRef<HTMLHeadingElement>(null)
  const card = useRef<HTMLElement>(null)
  const isDeciding = useRef(false)
  const hadFocus = card.current?.contains(document.activeElement)
  useLayoutEffect(() => {
    // The form that had the focus is gone.
    if (!isOpen && (isDeciding.current || hadFocus)) heading.current?.focus()
  }, [isOpen])
  return (
    <section ref={card} class={isOpen ? 'card stack decision open' : 'card stack decision'}>
      <header class="stack tight">
        <Story as="h3" ref={heading} tabIndex={-1}>
          {decision.question}
        </Story>
        {isOpen && (
          <p class="row">
            <span class="chip warn">
              {timeLeft(room, { ...decision, at: decision.deadline_at })}
            </span>
            <span class="small muted">{whomFor(room, decision)}</span>
          </p>
        )}
      </header>
      {!isOpen && <MissedChoice panes={panes} decision={decision} />}
      {isOpen && isMine ? (
        <Choice room={room} decision={decision} onDecide={() => (isDeciding.current = true)} />
      ) : (
        <Options decision={decision} room={room} />
      )}
      {isOpen && !isMine && (
        <button
          type="button"
          class="wide"
          onClick={() => panes.open(decision.conversation_id, decision.message_id, true)}
        >
          {say('decision.advise', { channel: channelOf(room, decision) })}
        </button>
      )}
      {decision.message_id !== null && !(isOpen && !isMine) && (
        <button
          type="button"
          class="wide"
          onClick={() => panes.open(decision.conversation_id, decision.message_id)}
        >
          {say('decision.read', { channel: channelOf(room, decision) })}
        </button>
      )}
    </section>
  )
}

const channelOf = ({ briefing }: Room, { conversation_id }: Decision) =>
  briefing.value?.channels.find((one) => one.conversation_id === conversation_id)?.channel_name ??
  ''
