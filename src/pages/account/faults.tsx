import { Step } from '../shared/forms/step.js'
import { faultText } from '../shared/service.js'
import { say } from '../shared/words/words.js'
import type { Refusal } from './refusals.js'
import { begin } from './visit.js'
import { LogIns, NewLink } from './ways-on.js'

/** Why a link does not work, and what to do now. Without an invitation that works, few can log in. */
export function Refused({ refusal }: { refusal: Refusal }) {
  const mayLogIn = refusal.startsWith('verify-email') || /link_(used|replaced)$/.test(refusal)
  const mayAsk = refusal.startsWith('reset-password') && refusal !== 'reset-password.inactive'
  return (
    <Step title={say(`account.${refusal}`)}>
      <p>{say(`account.${refusal}_text`)}</p>
      {mayAsk && <NewLink />}
      <LogIns isBig={mayLogIn && !mayAsk} />
    </Step>
  )
}

/** For those who come without the secret of a link, for example because it is used. */
export function NoLink() {
  return (
    <Step title={say('account.no_link')}>
      <p>{say('account.no_link_text')}</p>
      <LogIns isBig />
      <p>
        <a href="/forgot-password">{say('login.forgotten')}</a>
      </p>
    </Step>
  )
}

/** The invitation cannot be read now, and can be later. */
export function Fault({ error }: { error: unknown }) {
  return (
    <Step title={say('fault.title')}>
      <p>{faultText(error)}</p>
      <button type="button" class="primary wide" onClick={() => void begin()}>
        {say('action.retry')}
      </button>
    </Step>
  )
}
