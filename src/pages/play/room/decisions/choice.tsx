import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { ActionForm, useAction } from '../../../shared/forms/action.js'
import { Writing } from '../../../shared/forms/form.js'
import { RadioGroup } from '../../../shared/forms/radio-group.js'
import type { Schema } from '../../../shared/forms/schema.js'
import type { Room } from '../../../shared/room/room.js'
import { service } from '../../../shared/service.js'
import { readStored, store } from '../../../shared/stored.js'
import { say } from '../../../shared/words/words.js'
import { obstacleOf } from '../obstacle.js'

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
  const reasonKept = room.storedAs('reason', beat)
  const option = useSignal('')
  const reason = useSignal(readStored<string>(reasonKept) ?? '')
  const action = useAction()
  const decide = async () => {
    onDecide()
    const params = { path: { session_id: room.session_id, beat } }
    const body = { option: option.value, reason: reason.value.trim() || null }
    await service.api.PUT('/api/v1/simulation/sessions/{session_id}/decisions/{beat}', {
      params,
      body,
    })
    store(reasonKept, null)
    await room.readDecisions()
  }
  const obstacle = obstacleOf(room)
  return (
    <ActionForm action={action} act={decide} label={obstacle ? undefined : say('decision.decide')}>
      <RadioGroup legend={<span class="small muted">{say('decision.choose')}</span>}>
        {options.map(({ option: key, label, cost }) => (
          <label key={key} class="option">
            <input
              type="radio"
              name={id}
              required
              value={key}
              checked={option.value === key}
              onInput={() => (option.value = key)}
            />
            <span>
              <strong>{label}</strong>
              <span class="small block">
                <span class="muted">{say('decision.cost')}</span> {cost}
              </span>
            </span>
          </label>
        ))}
      </RadioGroup>
      <Writing
        label={say('decision.reason')}
        rows={2}
        maxLength={1000}
        value={reason.value}
        onInput={(text) => {
          reason.value = text
          store(reasonKept, text || null)
        }}
      />
      {obstacle ? (
        <p class="notice warn">{obstacle}</p>
      ) : (
        <p class="small muted">{say('decision.final')}</p>
      )}
    </ActionForm>
  )
}
