import { Waiting } from '../shared/forms/step.js'
import { Fault } from './entry/fault.js'
import { Login, NewPassword } from './entry/login.js'
import { Moved, OtherTab } from './entry/other-tab.js'
import { Sessions } from './entry/sessions.js'
import { Left } from './room/panes/leave.js'
import { Session } from './session.js'
import { room, view } from './state.js'

/** The view that fits where the participant is. */
export function App() {
  const now = view.value
  switch (now.name) {
    case 'opening':
      return <Waiting />
    case 'login':
      return <Login />
    case 'password':
      return <NewPassword />
    case 'sessions':
      return <Sessions />
    case 'otherTab':
      return <OtherTab takeOver={now.takeOver} />
    case 'left':
      return <Left />
    case 'moved':
      return <Moved />
    case 'fault':
      return <Fault error={now.error} retry={now.retry} />
    case 'session':
      return room.value && <Session room={room.value} key={room.value.session_id} />
  }
}
