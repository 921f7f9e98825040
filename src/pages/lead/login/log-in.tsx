import { Notice } from '../../shared/forms/form.js'
import { LoginForm } from '../../shared/login.js'
import { faultText, logIn, loginEnd } from '../../shared/service.js'
import { href } from '../router.js'
import { say } from '../words/words.js'
import { Welcome } from './welcome.js'

/** The way in for people with an account. */
export const LogIn = () => (
  <Welcome title={say('login.log_in')}>
    {loginEnd.value && <Notice kind="warn">{faultText(loginEnd.value)}</Notice>}
    <LoginForm onTokens={logIn} />
    <p>
      {say('lead.noAccount')} <a href={href('register')}>{say('lead.toRegister')}</a>
    </p>
  </Welcome>
)
