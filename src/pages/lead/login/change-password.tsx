import { PasswordForm } from '../../shared/login.js'
import { logIn } from '../../shared/service.js'
import { leave, readMe } from '../me.js'
import { say } from '../words/words.js'
import { Welcome } from './welcome.js'

/** For people whose password is temporary. */
export const ChangePassword = () => (
  <Welcome title={say('lead.changePassword')}>
    <p>{say('lead.changePasswordWhy')}</p>
    <PasswordForm
      current={say('lead.temporaryPassword')}
      label={say('lead.changePassword')}
      onTokens={async (tokens) => {
        logIn(tokens)
        await readMe()
      }}
    />
    <button type="button" class="wide" onClick={() => void leave()}>
      {say('lead.logOut')}
    </button>
  </Welcome>
)
