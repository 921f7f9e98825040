import { ActionFault, useAction } from '../../shared/forms/action.js'
import { ActionButton } from '../../shared/forms/action-button.js'
import { Notice } from '../../shared/forms/form.js'
import type { Schema } from '../../shared/forms/schema.js'
import { applySetup, type SetupPreview } from '../calls/scenarios.js'
import { may } from '../me.js'
import { say } from '../words/words.js'
import { Things } from './things.js'

interface PreviewProps {
  preview: SetupPreview
  body: Schema<'QuickSetup'>
  onApplied: () => Promise<void>
}

/** What a setup would do. Administrators apply it from here. */
export function Preview({ preview, body, onApplied }: PreviewProps) {
  const action = useAction()
  const { would_create, would_update, would_remove, would_skip, warnings } = preview
  const updates = would_update.filter(({ fields }) => fields.length > 0)
  const apply = async () => {
    await applySetup(body)
    await onApplied()
  }
  return (
    <div class="stack preview">
      <h3>{say('lead.previewTitle')}</h3>
      <Things word="lead.wouldCreate" things={would_create} />
      <Things word="lead.wouldUpdate" things={updates} />
      <Things word="lead.wouldRemove" things={would_remove} />
      <Things word="lead.wouldSkip" things={would_skip} />
      {would_create.length + updates.length + would_remove.length === 0 && (
        <p>{say('lead.nothingChanges')}</p>
      )}
      {warnings.map((one) => (
        <Notice key={one.message} kind="warn">
          {one.message}
        </Notice>
      ))}
      {may('applyQuickSetup') && (
        <>
          <ActionFault action={action} />
          <ActionButton action={action} act={apply} done={say('lead.applied')} kind="primary">
            {say('lead.apply')}
          </ActionButton>
        </>
      )}
    </div>
  )
}
