import { ActionForm, useAction } from '../shared/forms/action.js'
import { Step } from '../shared/forms/step.js'
import { say } from '../shared/words/words.js'
import { verify } from './visit.js'
import { LogIns } from './ways-on.js'

/** Waits for a press, because programs that look for malware open the links of mails as well. */
export function Verify() {
  const action = useAction()
  return (
    <Step title={say('account.verify')}>
      <p>{say('account.verify_why')}</p>
      <ActionForm action={action} act={verify} kind="stack" label={say('account.verify_now')} />
    </Step>
  )
}

export function Verified() {
  return (
    <Step title={say('account.verified')}>
      <p>{say('account.verified_text')}</p>
      <LogIns />
    </Step>
  )
}
