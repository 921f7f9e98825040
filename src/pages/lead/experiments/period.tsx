import { useState } from 'preact/hooks'
import { ActionForm, useAction } from '../../shared/forms/action.js'
import { Field } from '../../shared/forms/form.js'
import type { Schema } from '../../shared/forms/schema.js'
import { changeExperiment } from '../calls/experiments.js'
import { localOf } from '../elements/local-time.js'
import { say } from '../words/words.js'

interface PeriodProps {
  experiment: Schema<'Experiment'>
  onChange: () => Promise<void>
}

/** From when to when the experiment runs. */
export function Period({ experiment, onChange }: PeriodProps) {
  const [start, setStart] = useState(localOf(experiment.start_at))
  const [end, setEnd] = useState(localOf(experiment.end_at))
  const action = useAction()
  const save = async () => {
    await changeExperiment(experiment._id, {
      start_at: new Date(start).toISOString(),
      end_at: new Date(end).toISOString(),
    })
    await onChange()
  }
  return (
    <details>
      <summary>{say('lead.period')}</summary>
      <ActionForm action={action} act={save} done={say('lead.periodSaved')}>
        <div class="pair">
          <Field
            label={say('lead.from')}
            type="datetime-local"
            required
            value={start}
            onInput={setStart}
            fault={action.faultAt('start_at')}
          />
          <Field
            label={say('lead.to')}
            type="datetime-local"
            required
            value={end}
            onInput={setEnd}
            fault={action.faultAt('end_at')}
          />
        </div>
        <div>
          <button type="submit" aria-disabled={action.isBusy.value}>
            {say('lead.save')}
          </button>
        </div>
      </ActionForm>
    </details>
  )
}
