import { Waiting } from '../shared/forms/step.js'
import { Fault, NoLink, Refused } from './faults.js'
import { Asked, Forgotten } from './forgotten.js'
import { Invited } from './invited.js'
import { Done, Reset } from './reset.js'
import { Verified, Verify } from './verify.js'
import { view } from './visit.js'

/** The view that fits the link. */
export function App() {
  const now = view.value
  switch (now.name) {
    case 'opening':
      return <Waiting />
    case 'invited':
      return <Invited invitation={now.invitation} />
    case 'reset':
      return <Reset />
    case 'done':
      return <Done />
    case 'verify':
      return <Verify />
    case 'verified':
      return <Verified />
    case 'forgotten':
      return <Forgotten />
    case 'asked':
      return <Asked email={now.email} />
    case 'noLink':
      return <NoLink />
    case 'refused':
      return <Refused refusal={now.refusal} />
    case 'fault':
      return <Fault error={now.error} />
  }
}
