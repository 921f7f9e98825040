import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { ActionForm, useAction } from '../../../shared/forms/action.js'
import { Writing } from '../../../shared/forms/form.js'
import { RadioGroup } from '../../../shared/forms/radio-group.js'
import type { Schema } from '../../../shared/forms/schema.js'
import type { Room } from '../../../shared/room/room.js'
import { Story } from '../../../shared/room/story.js'
import { service } from '../../../shared/service.js'
import { say } from '../../../shared/words/words.js'
import { obstacleOf } from '../obstacle.js'
import { type Choice as Kept, keepChoice, unsentChoice } from './unsent-choice.js'

type Decision = Schema<'SessionDecision'>

interface ChoiceProps {
  room: Room
  decision: Decision
  onDecide(): void
}

/** The form of those who may decide. The choice is kept like a draft; the decision is final. */
export function Choice({ room, decision, onDecide }: ChoiceProps) {
  const { beat, options } = decision
  const id = useId()
  const kept = useSignal(unsentChoice(room, decision) ?? { option: '', reason: '' })
  const change = (next: Partial<Kept>) => {
    kept.value = { ...kept.value, ...next }
    keepChoice(room, decision, kept.value)
  }
  const action = useAction()
  const decide = async () => {
    onDecide()
    const params = { path: { session_id: room.session_id, beat } }
    const { option, reason } = kept.value
    const body = { option, reason: reason.trim() || null }
    await service.api.PUT('/api/v1/simulation/sessions/{session_id}/decisions/{beat}', {
      params,
      body,
    })
    keepChoice(room, decision, null)
    await room.readDecisions()
  }
  const obstacle = obstacleOf(room)
  const chosen = options.find(({ option }) => option === kept.value.option)
  return (
    <ActionForm
      action={action}
      act={decide}
      label={obstacle ? undefined : say('decision.decide')}
      beside={chosen && <span class="chip warn">{say('decision.unsent')}</span>}
    >
      <RadioGroup legend={<span class="small muted">{say('decision.choose')}</span>}>
        {options.map(({ option: key, label, cost }) => (
          <label key={key} class="option">
            <input
              type="radio"
              name={id}
              required
              value={key}
              checked={kept.value.option === key}
              onInput={() => change({ option: key })}
            />
            <span>
              <Story as="strong">{label}</Story>
              <span class="small block">
                <span class="muted">{say('decision.cost')}</span> <Story>{cost}</Story>
              </span>
            </span>
          </label>
        ))}
      </RadioGroup>
      <Writing
        label={say('decision.reason')}
        rows={2}
        maxLength={1000}
        value={kept.value.reason}
        onInput={(reason) => change({ reason })}
      />
      {obstacle ? (
        <p class="notice warn">{obstacle}</p>
      ) : (
        <p>
          {chosen && (
            <strong class="block">{say('decision.you_choose', { option: chosen.label })}</strong>
          )}
          {say('decision.final')}
        </p>
      )}
    </ActionForm>
  )
}
