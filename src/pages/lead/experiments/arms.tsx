import { useRef, useState } from 'preact/hooks'
import { ActionForm, useAction } from '../../shared/forms/action.js'
import { Field } from '../../shared/forms/form.js'
import type { Schema } from '../../shared/forms/schema.js'
import { assignSessions } from '../calls/experiments.js'
import { mostSessions } from '../calls/sessions.js'
import { may } from '../me.js'
import { href } from '../router.js'
import { say } from '../words/words.js'
import type { ExperimentRead } from './experiment-reading.js'

interface ArmsProps {
  all: ExperimentRead
  onChange: () => Promise<void>
}

/** Which session is in which arm. Raters open it only after they have rated. */
export function Arms({ all, onChange }: ArmsProps) {
  const { experiment, results, sessions } = all
  const { control_session_ids, intervention_session_ids, status } = experiment
  const count = control_session_ids.length + intervention_session_ids.length
  return (
    <section class="card stack">
      <h2>{say('lead.arms')}</h2>
      <p class="muted small">{say('lead.armsWhy')}</p>
      {all.blueprint?.intervention && <p class="small">{all.blueprint.intervention}</p>}
      {results.sessions && count > 0 && <Progress progress={results.sessions} />}
      {count > 0 && (
        <details>
          <summary>
            {say('lead.showArms')} <span class="muted">{say('lead.showArmsWhy')}</span>
          </summary>
          <div class="pair">
            <Arm arm="control" ids={control_session_ids} sessions={sessions} />
            <Arm arm="intervention" ids={intervention_session_ids} sessions={sessions} />
          </div>
          {experiment.assignment && (
            <p class="small muted">{say('lead.seed', { seed: experiment.assignment.seed })}</p>
          )}
        </details>
      )}
      {status === 'draft' && may('assignSessions') && <Assign all={all} onChange={onChange} />}
    </section>
  )
}

function Progress({ progress }: { progress: Schema<'ArmsProgress'> }) {
  const { control, intervention } = progress
  const sum = (key: 'assigned' | 'completed' | 'running') => control[key] + intervention[key]
  return (
    <p>
      {say('lead.progress', {
        completed: sum('completed'),
        count: sum('running'),
        assigned: sum('assigned'),
      })}
    </p>
  )
}

interface ArmProps {
  arm: Schema<'SessionArm'>
  ids: readonly string[]
  sessions: readonly Schema<'ListedSession'>[]
}

const Arm = ({ arm, ids, sessions }: ArmProps) => (
  <div>
    <h3>{say(`lead.arm.${arm}`)}</h3>
    <ul class="plain-list">
      {ids.map((id) => {
        const session = sessions.find((one) => one._id === id)
        // The list has only the newest sessions. One that is missing may be older.
        const missing = sessions.length < mostSessions ? say('lead.sessionDeleted') : id
        return (
          <li key={id}>{session ? <a href={href('sessions', id)}>{session.name}</a> : missing}</li>
        )
      })}
    </ul>
  </div>
)

/** Assigns sessions to the arms at random. */
function Assign({ all, onChange }: ArmsProps) {
  const { experiment, sessions } = all
  const scenario = experiment.metadata.scenario_type
  const open = sessions.filter(
    ({ status, scenario_name }) =>
      ['draft', 'scheduled'].includes(status) && (!scenario || scenario_name === scenario),
  )
  const ids = [...experiment.control_session_ids, ...experiment.intervention_session_ids]
  const assigned = open.filter(({ _id }) => ids.includes(_id))
  const summary = useRef<HTMLElement>(null)
  const [chosen, setChosen] = useState<readonly string[]>(assigned.map(({ _id }) => _id))
  const [seed, setSeed] = useState('')
  const action = useAction()
  const toggle = (id: string) =>
    setChosen(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id])
  const assign = async () => {
    await assignSessions(experiment._id, { session_ids: [...chosen], ...(seed && { seed }) })
    setSeed('')
    await onChange()
    requestAnimationFrame(() => summary.current?.focus())
  }
  if (open.length < 2) return <p class="muted small">{say('lead.assignNone')}</p>
  const names = assigned.map(({ name }) => name).join(', ')
  const form = (
    <ActionForm action={action} act={assign} done={say('lead.assigned')}>
      <fieldset class="stack tight">
        <legend>{say('lead.assign')}</legend>
        <p class="muted small">{say('lead.assignWhy')}</p>
        {open.map(({ _id, name }) => (
          <label key={_id} class="choice-line">
            <input type="checkbox" checked={chosen.includes(_id)} onChange={() => toggle(_id)} />
            {name}
          </label>
        ))}
      </fieldset>
      <Field
        label={say('lead.seedLabel')}
        hint={say('lead.seedHint')}
        value={seed}
        onInput={setSeed}
        maxLength={128}
      />
      <div>
        <button type="submit" aria-disabled={action.isBusy.value || chosen.length < 2}>
          {say('lead.assignNow', { count: chosen.length })}
        </button>
      </div>
    </ActionForm>
  )
  if (assigned.length === 0) return form
  return (
    <>
      <p>{say('lead.assignedNames', { names })}</p>
      <details>
        <summary ref={summary}>{say('lead.assignAgain')}</summary>
        {form}
      </details>
    </>
  )
}
