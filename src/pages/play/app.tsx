import { Waiting } from '../shared/forms/step.js'
import { Fault } from './entry/fault.js'
import { Link } from './entry/link.js'
import { Login, NewPassword } from './entry/login.js'
import { Moved, OtherTab } from './entry/other-tab.js'
import { Sessions } from './entry/sessions.js'
import { Whose } from './entry/whose.js'
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
    case 'link':
      return <Link open={now.open} />
    case 'whose':
      return <Whose name={now.display_name} onYes={now.takeOver} />
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
