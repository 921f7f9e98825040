import { Step } from '../shared/forms/step.js'
import { say } from '../shared/words/words.js'
import { NewPassword } from './new-password.js'
import { reset } from './visit.js'
import { LogIns } from './ways-on.js'

/** Asks for a new password instead of one that is forgotten. */
export function Reset() {
  return (
    <Step title={say('account.reset')}>
      <p>{say('account.reset_why')}</p>
      <NewPassword label={say('account.save')} set={reset} />
    </Step>
  )
}

export function Done() {
  return (
    <Step title={say('account.done')}>
      <p>{say('account.done_text')}</p>
      <LogIns isBig />
    </Step>
  )
}
