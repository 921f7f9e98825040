import { ActionFault, useAction } from '../../shared/forms/action.js'
import { ActionButton } from '../../shared/forms/action-button.js'
import { ConfirmButton } from '../../shared/forms/confirm.js'
import type { Schema } from '../../shared/forms/schema.js'
import { createSeatLinks } from '../calls/seats.js'
import { say } from '../words/words.js'
import { keepLinks } from './kept-links.js'

interface NewLinkProps {
  place: Schema<'ParticipantAssignment'>
  name: string
  /** Whether an earlier link works, which the new one ends. */
  endsLink: boolean
  onMade: () => Promise<void>
}

/** Makes a link for one place. Those of the others stay as they are. */
export function NewLink({ place: { _id, session_id }, name, endsLink, onMade }: NewLinkProps) {
  const action = useAction()
  const make = async () => {
    keepLinks(session_id, await createSeatLinks(session_id, [{ assignment_id: _id }]))
    await onMade()
  }
  const button = { act: make, kind: 'quiet small', done: say('lead.newLinkMade') }
  const label = (
    <>
      {say('lead.newLink')}
      <span class="unseen"> ({name})</span>
    </>
  )
  if (endsLink) {
    const title = say('lead.newLinkTitle', { name })
    return (
      <ConfirmButton title={title} why={say('lead.newLinkWhy')} {...button}>
        {label}
      </ConfirmButton>
    )
  }
  return (
    <>
      <ActionButton action={action} {...button}>
        {label}
      </ActionButton>
      <ActionFault action={action} />
    </>
  )
}
