import { ActionForm, sayDone, useAction } from '../../shared/forms/action.js'
import { Field } from '../../shared/forms/form.js'
import type { Schema } from '../../shared/forms/schema.js'
import { changeSession } from '../calls/sessions.js'
import { useKept } from '../draft.js'
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

interface Fields {
  name: string
  speed: string
  startsAt: string
  raters: readonly string[]
}

/** Changes the name, the pace, the start and the raters of a session; after its start only the raters. */
export function ChangeSession({ all, onChange }: ChangeProps) {
  const { session, isBefore, people } = all
  // After a change by others, the form begins anew.
  const kept = useKept<Fields>(`change ${session._id} ${session.updated_at}`, {
    name: session.name,
    speed: `${session.speed}`,
    startsAt: localOf(session.starts_at),
    raters: session.rater_ids,
  })
  const { name, speed, startsAt, raters } = kept.fields
  const action = useAction()
  // The input has no seconds.
  const isSameStart = startsAt === localOf(session.starts_at)
  const save = async () => {
    const rater_ids = [...raters]
    const starts_at = isSameStart ? session.starts_at : instantOf(startsAt)
    const plan = { name, speed: Number(speed), starts_at, ...(!starts_at && unscheduled) }
    await changeSession(session._id, isBefore ? { ...plan, rater_ids } : { rater_ids })
    kept.forget()
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
              onInput={(name) => kept.set({ name })}
              fault={action.faultAt('name')}
            />
            <Pace
              speed={speed}
              minutes={minutesOf(all)}
              now={session.speed}
              onChange={(speed) => kept.set({ speed })}
            />
            <Field
              label={say('lead.startsAt')}
              hint={say('lead.startsAtHint')}
              type="datetime-local"
              value={startsAt}
              onInput={(startsAt) => kept.set({ startsAt })}
              fault={action.faultAt('starts_at')}
            />
          </>
        )}
        <Raters people={people ?? []} chosen={raters} onChange={(raters) => kept.set({ raters })} />
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
