import { useState } from 'preact/hooks'
import { ActionForm, sayDone, useAction } from '../../shared/forms/action.js'
import { Field } from '../../shared/forms/form.js'
import type { Schema } from '../../shared/forms/schema.js'
import { changeSession } from '../calls/sessions.js'
import { instantOf, localOf } from '../elements/local-time.js'
import { say } from '../words/words.js'
import { usePastStart } from './past-start.js'
import { Pace } from './plan/pace.js'
import { Raters } from './plan/raters.js'
import { minutesOf, type SessionRead } from './session-reading.js'

const unscheduled: Schema<'SessionUpdate'> = { clear: ['starts_at'] }

interface ChangeProps {
  all: SessionRead
  onChange: () => Promise<void>
}

/** Changes the name, the pace, the start and the raters of a session; after its start only the raters. */
export function ChangeSession({ all, onChange }: ChangeProps) {
  const { session, isBefore, people } = all
  const [name, setName] = useState(session.name)
  const [speed, setSpeed] = useState(`${session.speed}`)
  const [startsAt, setStartsAt] = useState(localOf(session.starts_at))
  const [raters, setRaters] = useState<readonly string[]>(session.rater_ids)
  const action = useAction()
  // The input has no seconds.
  const isSameStart = startsAt === localOf(session.starts_at)
  const save = async () => {
    const rater_ids = [...raters]
    const starts_at = isSameStart ? session.starts_at : instantOf(startsAt)
    const plan = { name, speed: Number(speed), starts_at, ...(!starts_at && unscheduled) }
    await changeSession(session._id, isBefore ? { ...plan, rater_ids } : { rater_ids })
    await onChange()
    sayDone(say('lead.sessionChanged'))
  }
  const { saveOrAsk, question } = usePastStart(save)
  return (
    <details class="card">
      <summary>{say('lead.changeSession')}</summary>
      <ActionForm action={action} act={() => (isSameStart ? save() : saveOrAsk(startsAt))}>
        {isBefore && (
          <>
            <Field
              label={say('lead.sessionName')}
              required
              maxLength={200}
              value={name}
              onInput={setName}
              fault={action.faultAt('name')}
            />
            <Pace speed={speed} minutes={minutesOf(all)} now={session.speed} onChange={setSpeed} />
            <Field
              label={say('lead.startsAt')}
              hint={say('lead.startsAtHint')}
              type="datetime-local"
              value={startsAt}
              onInput={setStartsAt}
              fault={action.faultAt('starts_at')}
            />
          </>
        )}
        <Raters people={people ?? []} chosen={raters} onChange={setRaters} />
        <div>
          <button type="submit" class="primary" aria-disabled={action.isBusy.value}>
            {say('lead.save')}
          </button>
        </div>
      </ActionForm>
      {question}
    </details>
  )
}
