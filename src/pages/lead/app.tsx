import { useEffect } from 'preact/hooks'
import { Action, ActionFault } from '../shared/forms/action.js'
import { isLoggedIn } from '../shared/service.js'
import { ChangePassword } from './login/change-password.js'
import { LogIn } from './login/log-in.js'
import { Register } from './login/register.js'
import { leave, may, me, mustChangePassword, readMe } from './me.js'
import { NotForYou } from './not-for-you.js'
import { route } from './router.js'
import { forgetLinks } from './sessions/kept-links.js'
import { Shell } from './shell.js'
import { View } from './view.js'
import { viewOf } from './views.js'
import { say } from './words/words.js'

const reading = new Action()

/** What the page shows: the way in, until it knows who is there, and then the view of its address. */
export function App() {
  useEffect(() => {
    if (isLoggedIn.value) void reading.run(readMe)
    else {
      me.value = null
      forgetLinks()
    }
  }, [isLoggedIn.value])
  if (!isLoggedIn.value) return route.value[0] === 'register' ? <Register /> : <LogIn />
  if (mustChangePassword.value) return <ChangePassword />
  if (!me.value) return <Waiting />
  if (!may('listExperiments')) return <NotForYou />
  return <Shell key={me.value.user._id}>{viewOf(route.value)}</Shell>
}

function Waiting() {
  return (
    <View title={say('lead.title')} kind="column">
      {reading.error.value === null ? (
        <p class="muted">{say('lead.loading')}</p>
      ) : (
        <>
          <ActionFault action={reading} />
          <div class="row">
            <button type="button" class="primary" onClick={() => void reading.run(readMe)}>
              {say('action.retry')}
            </button>
            <button type="button" onClick={() => void leave()}>
              {say('lead.logOut')}
            </button>
          </div>
        </>
      )}
    </View>
  )
}
