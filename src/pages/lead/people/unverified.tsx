import { useState } from 'preact/hooks'
import { ActionFault, useAction } from '../../shared/forms/action.js'
import { Notice } from '../../shared/forms/form.js'
import { say } from '../../shared/words/words.js'
import { resendVerification } from '../calls/people.js'
import { may, me } from '../me.js'

/** Says why invitations do not go by mail yet, and what the user can do about it. */
export function Unverified() {
  const action = useAction()
  const [isSent, setSent] = useState<boolean | null>(null)
  if (!me.value?.mail_awaits_verification || !may('resendVerification')) return null
  const email = me.value.user.email ?? ''
  const send = async () => setSent(await resendVerification())
  return (
    <Notice kind="warn">
      <div class="stack tight">
        <p>{say('lead.unverified', { email })}</p>
        <button
          type="button"
          aria-disabled={action.isBusy.value}
          onClick={() => void action.run(send)}
        >
          {say('lead.sendLinkAgain')}
        </button>
        <p role="status">
          {isSent === true && say('lead.invitedByMail', { email })}
          {isSent === false && say('lead.linkNotSent')}
        </p>
        <ActionFault action={action} />
      </div>
    </Notice>
  )
}
