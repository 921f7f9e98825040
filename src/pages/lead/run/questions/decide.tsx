import { useId } from 'preact/hooks'
import { Dialog } from '../../../shared/dialog.js'
import { ActionForm, useAction } from '../../../shared/forms/action.js'
import { Field, Notice } from '../../../shared/forms/form.js'
import { RadioGroup } from '../../../shared/forms/radio-group.js'
import type { Schema } from '../../../shared/forms/schema.js'
import { Story } from '../../../shared/room/story.js'
import { decideOnBehalf } from '../../calls/sessions.js'
import { useKept } from '../../draft.js'
import { may } from '../../me.js'
import { say } from '../../words/words.js'
import type { DeskRoom } from '../desk-room.js'
import { leftUntil } from '../real-time.js'

interface DecideProps {
  decision: Schema<'SessionDecision'>
  room: DeskRoom
  onClose: () => void
}

/** Records what the team has decided, with what follows each option. */
export function Decide({ decision, room, onClose }: DecideProps) {
  const kept = useKept(`decide ${room.session_id} ${decision.beat}`, { option: '', reason: '' })
  const { option, reason } = kept.fields
  const action = useAction()
  const status = room.clock.status.value
  const resumes = status === 'paused' && may('resumeSession')
  const mayRecord = status === 'running' || resumes
  const stopped = useId()
  if (decision.status !== 'open') {
    return (
      <Dialog title={say('lead.decideTitle')} onClose={onClose}>
        <Notice>{say('lead.decideTooLate')}</Notice>
        <div class="row">
          <button type="button" onClick={onClose}>
            {say('action.close')}
          </button>
        </div>
      </Dialog>
    )
  }
  const decide = async () => {
    // The service records no decision while the clock stands still.
    if (resumes) await room.resume()
    await decideOnBehalf(room.session_id, decision.beat, option, reason)
    kept.forget()
    onClose()
  }
  return (
    <Dialog title={say('lead.decideTitle')} onClose={onClose}>
      <p>{say('lead.decideWhy')}</p>
      {decision.deadline_at && (
        <p>
          <strong>{leftUntil(room, decision.deadline_at)}</strong>
        </p>
      )}
      <ActionForm action={action} act={decide} done={say('lead.decideDone')}>
        <RadioGroup legend={<Story>{decision.question}</Story>}>
          {decision.options.map((one) => (
            <Option
              key={one.option}
              option={one}
              room={room}
              isChosen={one.option === option}
              onChoose={() => kept.set({ option: one.option })}
            />
          ))}
        </RadioGroup>
        <Field
          label={say('lead.decideReason')}
          value={reason}
          onInput={(reason) => kept.set({ reason })}
          maxLength={1000}
        />
        {status !== 'running' && (
          <Notice kind="warn">
            <p id={stopped}>{say(resumes ? 'lead.decidePaused' : 'lead.decideStopped')}</p>
          </Notice>
        )}
        <div class="row">
          <button
            type="submit"
            class="primary"
            aria-disabled={!mayRecord || action.isBusy.value}
            aria-describedby={status === 'running' ? undefined : stopped}
          >
            {say(resumes ? 'lead.decideAndGoOn' : 'lead.decideNow')}
          </button>
          <button type="button" onClick={onClose}>
            {say('action.cancel')}
          </button>
        </div>
      </ActionForm>
    </Dialog>
  )
}

interface OptionProps {
  option: Schema<'SessionDecisionOption'>
  room: DeskRoom
  isChosen: boolean
  onChoose: () => void
}

function Option({ option, room, isChosen, onChoose }: OptionProps) {
  const id = useId()
  return (
    <div class="desk-option">
      <label class="choice-line">
        <input
          type="radio"
          name="option"
          required
          checked={isChosen}
          onChange={onChoose}
          aria-describedby={id}
        />
        <Story as="strong">{option.label}</Story>
      </label>
      <Story as="p" id={id} class="small muted">
        {option.cost}
      </Story>
      {option.follows && option.follows.length > 0 && (
        <details class="small">
          <summary>
            {say('lead.follows', { count: option.follows.length })}
            <span class="unseen"> {option.label}</span>
          </summary>
          <Story as="ol" class="follows">
            {option.follows.map(({ sender_id, content, conversation_id }, index) => (
              <li key={index}>
                <span class="muted">
                  {room.people.value.get(sender_id)?.name}, #
                  {room.channels.value.get(conversation_id)}:
                </span>{' '}
                {content}
              </li>
            ))}
          </Story>
        </details>
      )}
    </div>
  )
}
