import { Notice } from '../../shared/forms/form.js'
import { Step } from '../../shared/forms/step.js'
import { LoginForm, PasswordForm } from '../../shared/login.js'
import { say } from '../../shared/words/words.js'
import { enterAccount } from '../account.js'
import { begin, hasPlace } from '../visit.js'

/** For people with an account. Others come by a link. */
export const Login = () => (
  <Step title={say('play.login')}>
    <Notice>{say('play.login_hint')}</Notice>
    <div class="card">
      <LoginForm onTokens={enterAccount} />
    </div>
    {hasPlace() && (
      <button type="button" class="wide" onClick={begin}>
        {say('play.back')}
      </button>
    )}
  </Step>
)

/** For people who log in with the password of their invitation. */
export const NewPassword = () => (
  <Step title={say('play.new_password_title')}>
    <p>{say('play.new_password_why')}</p>
    <div class="card">
      <PasswordForm
        current={say('play.current_password')}
        label={say('play.save')}
        onTokens={enterAccount}
      />
    </div>
  </Step>
)
