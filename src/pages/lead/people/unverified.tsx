import { useState } from 'preact/hooks'
import { ApiError } from '../../../client/client.js'
import { ActionFault, useAction } from '../../shared/forms/action.js'
import { Notice } from '../../shared/forms/form.js'
import { resendVerification } from '../calls/people.js'
import { may, me, readMe } from '../me.js'
import { say, type Word } from '../words/words.js'

/** Says why invitations do not go by mail yet, and what the user can do about it. */
export function Unverified() {
  const action = useAction()
  const [outcome, setOutcome] = useState<Word | null>(null)
  if (!me.value?.mail_awaits_verification || !may('resendVerification')) return null
  const email = me.value.user.email ?? ''
  return (
    <Notice kind="warn">
      <div class="stack tight">
        <p>{say('lead.unverified', { email })}</p>
        <button
          type="button"
          aria-disabled={action.isBusy.value}
          onClick={() => void action.run(async () => setOutcome(await askForLink()))}
        >
          {say('lead.sendLink')}
        </button>
        <p role="status">{outcome && say(outcome, { email })}</p>
        <ActionFault action={action} />
      </div>
    </Notice>
  )
}

/** Returns what to tell the user; null if they have used an earlier link in the meantime. */
async function askForLink(): Promise<Word | null> {
  try {
    return (await resendVerification()) ? 'lead.mailOnItsWay' : 'lead.linkNotSent'
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.code === 'rate_limited') return 'lead.noMoreLinks'
    if (error.code === 'not_registrant') return 'lead.onlyRegistrant'
    if (error.code !== 'already_verified') throw error
    await readMe()
    return null
  }
}
