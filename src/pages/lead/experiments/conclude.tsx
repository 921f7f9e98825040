import { useState } from 'preact/hooks'
import { ActionForm, useAction } from '../../shared/forms/action.js'
import { Confirm, ConfirmButton } from '../../shared/forms/confirm.js'
import { Writing } from '../../shared/forms/form.js'
import { conclude } from '../calls/experiments.js'
import { useKept } from '../draft.js'
import { Choice } from '../elements/choice.js'
import { may } from '../me.js'
import { dateOf, say } from '../words/words.js'
import type { ExperimentRead } from './experiment-reading.js'

const decisions = ['adopt', 'reject', 'inconclusive', 'repeat'] as const

interface ConcludeProps {
  all: ExperimentRead
  onChange: () => Promise<void>
}

/** Before there are results: freezes and shows them. The service does so once all sessions are over. */
export function Freeze({ all, onChange }: ConcludeProps) {
  const mayHaveRun = ['running', 'completed'].includes(all.experiment.status)
  if (!mayHaveRun || !may('concludeExperiment')) {
    return <p class="card muted">{say('lead.noResultsYet')}</p>
  }
  const { sessions } = all.results
  const freeze = async () => {
    await conclude(all.experiment._id, {})
    await onChange()
  }
  const isEmpty = sessions !== null && !hasCompleted(sessions)
  return (
    <section class="card stack tight">
      <h2>{say('lead.noResults')}</h2>
      <p class="muted small">{say('lead.noResultsYet')}</p>
      <p class="muted small">{say('lead.freezeWhen')}</p>
      {(sessions === null || isOver(sessions)) && (
        <div class="row">
          <ConfirmButton
            title={say('lead.freezeTitle')}
            why={`${isEmpty ? `${say('lead.freezeEmpty')} ` : ''}${say('lead.freezeWhy')}`}
            act={freeze}
            done={say('lead.frozen')}
            kind={isEmpty ? '' : 'primary'}
          >
            {say('lead.freeze')}
          </ConfirmButton>
        </div>
      )}
    </section>
  )
}

type Sessions = NonNullable<ExperimentRead['results']['sessions']>

const hasCompleted = ({ control, intervention }: Sessions) =>
  control.completed + intervention.completed > 0

const isOver = ({ control, intervention }: Sessions) =>
  [control, intervention].every(({ not_started, running }) => not_started + running === 0)

/** After the results: what follows from them. */
export function Conclude({ all, onChange }: ConcludeProps) {
  const { conclusion } = all.results
  if (conclusion) {
    return (
      <section class="card stack tight">
        <h2>{say('lead.conclusion')}</h2>
        <p>
          <strong>{say(`lead.concluded.${conclusion.decision}`)}</strong>
        </p>
        <p class="text">{conclusion.rationale}</p>
        <p class="muted small">{dateOf(conclusion.concluded_at)}</p>
      </section>
    )
  }
  if (!may('concludeExperiment')) return <p class="card muted">{say('lead.notConcluded')}</p>
  return <ConcludeForm all={all} onChange={onChange} />
}

const unconcluded: { decision: (typeof decisions)[number]; rationale: string } = {
  decision: 'inconclusive',
  rationale: '',
}

function ConcludeForm({ all, onChange }: ConcludeProps) {
  const kept = useKept(`conclusion ${all.experiment._id}`, unconcluded)
  const { decision, rationale } = kept.fields
  const [isAsking, setAsking] = useState(false)
  const action = useAction()
  const send = async () => {
    await conclude(all.experiment._id, { decision, rationale })
    kept.forget()
    await onChange()
  }
  return (
    <section class="card stack">
      <h2>{say('lead.concludeAs')}</h2>
      <p class="muted small">{say('lead.concludeWhy')}</p>
      <ActionForm action={action} act={async () => setAsking(true)}>
        <Choice
          label={say('lead.decision')}
          value={decision}
          options={decisions.map((value) => ({ value, label: say(`lead.concluded.${value}`) }))}
          onChange={(value) =>
            kept.set({ decision: decisions.find((one) => one === value) ?? 'inconclusive' })
          }
        />
        <Writing
          label={say('lead.rationale')}
          required
          rows={3}
          maxLength={10_000}
          value={rationale}
          onInput={(rationale) => kept.set({ rationale })}
        />
        <div>
          <button type="submit" class="primary" aria-disabled={action.isBusy.value}>
            {say('lead.concludeNow')}
          </button>
        </div>
      </ActionForm>
      {isAsking && (
        <Confirm
          title={say('lead.concludeTitle')}
          why={say('lead.concludeFinal', { decision: say(`lead.concluded.${decision}`) })}
          act={send}
          done={say('lead.concludedDone')}
          onClose={() => setAsking(false)}
        >
          {say('lead.concludeNow')}
        </Confirm>
      )}
    </section>
  )
}
