import { useEffect } from 'preact/hooks'
import { Notice } from '../../shared/forms/form.js'
import { LoginForm } from '../../shared/login.js'
import { faultText, logIn, loginEnd } from '../../shared/service.js'
import { href } from '../router.js'
import { say } from '../words/words.js'
import { askOtherTabs, isInOtherTab } from './other-tabs.js'
import { Welcome } from './welcome.js'

/** The way in for people with an account. */
export function LogIn() {
  useEffect(askOtherTabs, [])
  return (
    <Welcome title={say('login.log_in')}>
      {loginEnd.value && <Notice kind="warn">{faultText(loginEnd.value)}</Notice>}
      {isInOtherTab.value && <Notice>{say('lead.otherTab')}</Notice>}
      <LoginForm onTokens={logIn} />
      <p>
        {say('lead.noAccount')} <a href={href('register')}>{say('lead.toRegister')}</a>
      </p>
    </Welcome>
  )
}
