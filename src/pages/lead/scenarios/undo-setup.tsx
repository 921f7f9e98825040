import { useState } from 'preact/hooks'
import { ApiError } from '../../../client/client.js'
import { Dialog } from '../../shared/dialog.js'
import { ActionFault, useAction } from '../../shared/forms/action.js'
import { ActionButton } from '../../shared/forms/action-button.js'
import type { Schema } from '../../shared/forms/schema.js'
import { undoSetup } from '../calls/scenarios.js'
import { dateOf, say, type Word } from '../words/words.js'
import { Things } from './things.js'

interface UndoSetupProps {
  setup: Schema<'QuickSetupDetails'>
  onUndone: () => Promise<void>
}

/** The button that takes a setup back. It asks first. */
export function UndoSetup({ setup, onUndone }: UndoSetupProps) {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setAsking(true)}>
        {say('lead.undo')}
      </button>
      {isAsking && <Ask setup={setup} onUndone={onUndone} onClose={() => setAsking(false)} />}
    </>
  )
}

/** The refusals of a setup that is not in place any more. */
const ended = ['setup_superseded', 'setup_rolled_back', 'setup_not_found']

/** Says what goes, what comes back and what stays. */
function Ask({ setup, onUndone, onClose }: UndoSetupProps & { onClose: () => void }) {
  const action = useAction()
  const lookAgain = async () => {
    onClose()
    await onUndone()
  }
  const undo = async () => {
    await undoSetup(setup._id)
    await lookAgain()
  }
  const created = setup.changes.filter((one) => one.action === 'created')
  const others = setup.changes.filter((one) => one.action !== 'created')
  const { value: error } = action.error
  const refusal = error instanceof ApiError ? error : null
  const hasEnded = refusal !== null && ended.includes(refusal.code)
  const isInUse = refusal?.code === 'setup_in_use'
  return (
    <Dialog title={say('lead.undoTitle')} onClose={onClose}>
      {!isInUse && (
        <>
          <p>{say('lead.undoWhy', { date: dateOf(setup.applied_at) })}</p>
          <Things word="lead.undoRemoves" things={created} />
          <Things word="lead.undoRestores" things={others} />
          <p>{say('lead.undoStays')}</p>
        </>
      )}
      <ActionFault action={action} />
      {isInUse && <Uses refusal={refusal} />}
      <div class="row">
        {/* One button in one place, so that the focus stays on it. */}
        {hasEnded ? (
          <ActionButton action={action} act={lookAgain} kind="primary">
            {say('lead.lookAgain')}
          </ActionButton>
        ) : isInUse ? (
          <ActionButton action={action} act={async () => onClose()}>
            {say('action.close')}
          </ActionButton>
        ) : (
          <ActionButton action={action} act={undo} kind="danger" done={say('lead.undone')}>
            {say('lead.undoNow')}
          </ActionButton>
        )}
        {!isInUse && (
          <button type="button" onClick={onClose}>
            {say('action.cancel')}
          </button>
        )}
      </div>
    </Dialog>
  )
}

/** What is in use, so that the setup cannot be taken back. */
function Uses({ refusal }: { refusal: ApiError }) {
  const { reasons = [] } = refusal.body as Partial<Schema<'ErrorResponse'>>
  const why = [...new Set(reasons.map(({ reason }) => reason))]
  const namesOf = (reason: string) =>
    reasons.flatMap((one) => (one.reason === reason && one.name ? [one.name] : [])).join(', ')
  return (
    <ul class="small plain-list">
      {why.map((reason) => (
        <li key={reason}>
          <span class="muted">{say(`lead.use.${reason}` as Word)}:</span> {namesOf(reason)}
        </li>
      ))}
    </ul>
  )
}
