import { Step } from '../shared/forms/step.js'
import { LoginForm } from '../shared/login.js'
import { say } from '../shared/words/words.js'
import { verify } from './visit.js'

/** Asks for the password: whoever opens the link might not be the one who registered. */
export function Verify() {
  return (
    <Step title={say('account.verify')}>
      <p>{say('account.verify_why')}</p>
      <LoginForm label={say('account.verify_now')} onTokens={verify} />
    </Step>
  )
}

export function Verified() {
  return (
    <Step title={say('account.verified')}>
      <p>{say('account.verified_text')}</p>
      <a class="button wide" href="/lead">
        {say('account.verified_on')}
      </a>
    </Step>
  )
}
