import { useSignal } from '@preact/signals'
import { ActionForm, useAction } from '../shared/forms/action.js'
import { Field } from '../shared/forms/form.js'
import { Step } from '../shared/forms/step.js'
import { say } from '../shared/words/words.js'
import { ask, begin } from './visit.js'
import { LogIns } from './ways-on.js'

/** Asks where to send a link for a new password. */
export function Forgotten() {
  const email = useSignal('')
  const action = useAction()
  return (
    <Step title={say('login.forgotten')}>
      <p>{say('account.forgotten_text')}</p>
      <ActionForm
        action={action}
        act={() => ask(email.value)}
        kind="card stack"
        label={say('account.send_link')}
      >
        <Field
          label={say('login.email')}
          type="email"
          autocomplete="username"
          required
          maxLength={254}
          value={email.value}
          onInput={(text) => (email.value = text)}
        />
      </ActionForm>
      <LogIns />
    </Step>
  )
}

/** The same for every address: the service does not tell whether it knows it. */
export function Asked({ email }: { email: string }) {
  return (
    <Step title={say('account.asked')}>
      <p>{say('account.asked_text', { email })}</p>
      <p>{say('account.asked_nothing')}</p>
      <button type="button" class="wide" onClick={() => void begin()}>
        {say('account.ask_again')}
      </button>
      <LogIns />
    </Step>
  )
}
