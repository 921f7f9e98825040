import { Notice } from '../../shared/forms/form.js'
import type { Schema } from '../../shared/forms/schema.js'
import { may } from '../me.js'
import { href } from '../router.js'
import { dateOf, say } from '../words/words.js'
import { Things } from './things.js'
import { UndoSetup } from './undo-setup.js'

interface InPlaceProps {
  setup: Schema<'QuickSetupDetails'>
  /** Whether the user has just set it up: then all of it is shown. */
  isNew: boolean
  onUndone: () => Promise<void>
}

/** What is set up, the way on to a session, and the way back. */
export function InPlace({ setup, isNew, onUndone }: InPlaceProps) {
  const { scenario_type, applied_at, changes, warnings } = setup
  const madeBy = (action: Schema<'QuickSetupAction'>) =>
    changes.filter((one) => one.action === action)
  return (
    <Notice kind="good">
      <div class="stack tight">
        <p>{say('lead.inPlace', { date: dateOf(applied_at) })}</p>
        <details open={isNew}>
          <summary>{say('lead.whatWasSetUp')}</summary>
          <div class="stack tight">
            {changes.length === 0 && <p>{say('lead.nothingChanged')}</p>}
            <Things word="lead.hasCreated" things={madeBy('created')} />
            <Things word="lead.hasUpdated" things={madeBy('replaced')} />
            <Things word="lead.hasRemoved" things={madeBy('removed')} />
            {warnings.map((one) => (
              <p key={one.message}>{one.message}</p>
            ))}
          </div>
        </details>
        <div class="row">
          {may('createSession') && (
            <a class="button primary" href={href('sessions', 'new', scenario_type)}>
              {say('lead.planSession')}
            </a>
          )}
          {may('rollbackQuickSetup') && <UndoSetup setup={setup} onUndone={onUndone} />}
        </div>
      </div>
    </Notice>
  )
}
