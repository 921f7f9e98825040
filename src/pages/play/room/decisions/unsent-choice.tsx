import { signal } from '@preact/signals'
import type { Schema } from '../../../shared/forms/schema.js'
import type { Room } from '../../../shared/room/room.js'
import { readStored, store } from '../../../shared/stored.js'
import { say } from '../../../shared/words/words.js'
import { written } from '../../../shared/written.js'
import { me } from '../../state.js'
import { draftOf, putIntoDraft } from '../drafts.js'
import type { Panes } from '../panes/panes.js'

type Decision = Schema<'SessionDecision'>

/** What a participant has chosen and written. Each may be empty. */
export interface Choice {
  option: string
  reason: string
}

/** Counts the changes of what is stored: only a signal redraws the views. */
const changes = signal(0)

const nameOf = (room: Room, { beat }: Decision) => room.storedAs('choice', beat)

/** The choice that is kept in this browser and not sent; null if there is none. */
export function unsentChoice(room: Room, decision: Decision): Choice | null {
  void changes.value
  return readStored<Choice>(nameOf(room, decision))
}

export function keepChoice(room: Room, decision: Decision, choice: Choice | null): void {
  store(nameOf(room, decision), choice)
  changes.value = changes.peek() + 1
}

/** The label of the option that is chosen and not sent; null if there is none. */
export function unsentLabel(room: Room, decision: Decision): string | null {
  // The answer that says so may have been lost.
  if (decision.made_by === me.value) return null
  const chosen = unsentChoice(room, decision)?.option
  return decision.options.find(({ option }) => option === chosen)?.label ?? null
}

/** What the participant had chosen and written when the decision ended without it. */
export function MissedChoice({ panes, decision }: { panes: Panes; decision: Decision }) {
  const { room } = panes
  const { conversation_id, message_id } = decision
  const label = unsentLabel(room, decision)
  const choice = unsentChoice(room, decision)
  const reason = choice?.reason.trim() ?? ''
  if (decision.made_by === me.value || (label === null && reason === '')) return null
  const write = () => {
    putIntoDraft(draftOf(room, conversation_id, null), reason)
    keepChoice(room, decision, { option: choice?.option ?? '', reason: '' })
    panes.open(conversation_id, message_id, true)
  }
  return (
    <div class="notice warn stack tight">
      {label !== null && (
        <p>
          {say('decision.missed')} <strong>{label}</strong>
        </p>
      )}
      {reason && (
        <>
          <p class="text">
            <span class="small">{say('decision.missed_reason')}</span>{' '}
            <span {...written}>{reason}</span>
          </p>
          <button type="button" onClick={write}>
            {say('decision.write_reason')}
          </button>
        </>
      )}
    </div>
  )
}
