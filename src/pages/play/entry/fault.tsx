import { ApiError } from '../../../client/client.js'
import { Step } from '../../shared/forms/step.js'
import { faultText, isLoggedIn } from '../../shared/service.js'
import { say } from '../../shared/words/words.js'
import { backToSessions, toLogin } from '../account.js'
import { hasAccount, hasSeat } from '../state.js'
import { begin, isPlaceOpen } from '../visit.js'
import { WayOut } from '../way-out.js'

interface FaultProps {
  error: unknown
  retry: (() => void) | null
}

/** The keys that have their own text. */
const explained = [
  'session_not_found',
  'session_ended',
  'access_ended',
  'too_many_streams',
  'seat_taken_over',
  'link_incomplete',
  'link_unknown',
  'link_replaced',
  'link_revoked',
  'inactive',
  'rate_limited',
] as const

/** After these, the same try can only fail again. */
const final = [
  'session_ended',
  'link_incomplete',
  'link_unknown',
  'link_replaced',
  'link_revoked',
  'inactive',
]

/** After these, a guest has no place in the session any more. */
const leaving = ['access_ended', 'session_ended', 'link_revoked', 'inactive']

/** Why the page cannot go on, in words, and what to do now. */
export function Fault({ error, retry }: FaultProps) {
  const code = codeOf(error)
  const [title, text] = explain(error, code)
  const again = code !== null && final.includes(code) ? null : retry
  return (
    <Step title={title} isArrival={code === 'seat_taken_over'}>
      <p>{text}</p>
      {again && (
        <button type="button" class="primary wide" onClick={again}>
          {say(code === 'seat_taken_over' ? 'fault.again' : 'action.retry')}
        </button>
      )}
      <OtherWay code={code} />
      {code !== null && leaving.includes(code) && hasSeat() && !isPlaceOpen() && <WayOut />}
    </Step>
  )
}

/**
 * The way on: to the other sessions of a person with an account, to the place that is open, or to the login. Guests of
 * a session that is over have no login.
 */
function OtherWay({ code }: { code: string | null }) {
  const isToSessions = hasAccount() && isLoggedIn.value
  if (!isToSessions && isPlaceOpen()) {
    return (
      <button type="button" class="wide" onClick={begin}>
        {say('play.back')}
      </button>
    )
  }
  if (!isToSessions && code === 'session_ended') return null
  return (
    <button type="button" class="wide" onClick={isToSessions ? backToSessions : toLogin}>
      {say(isToSessions ? 'play.to_sessions' : 'play.to_login')}
    </button>
  )
}

/** The code of an error; for a link that does not work, the `type` of its fault. */
function codeOf(error: unknown): string | null {
  if (!(error instanceof ApiError)) return null
  return error.faults[0]?.type ?? error.code
}

function explain(error: unknown, code: string | null): [string, string] {
  if (code === null) return [say('play.no_connection'), say('play.no_connection_text')]
  const known = explained.find((one) => one === code)
  if (known) return [say(`fault.${known}`), say(`fault.${known}_text`)]
  if (error instanceof ApiError && error.status === 401) {
    return [say('fault.login_ended'), say('fault.login_ended_text')]
  }
  return [say('fault.title'), faultText(error)]
}
