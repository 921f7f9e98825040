import { ConfirmButton } from '../shared/forms/confirm.js'
import { say } from '../shared/words/words.js'
import { backToSessions, logOutHere } from './account.js'
import { hasAccount } from './state.js'

interface WayOutProps {
  /** What it means for a guest that the device forgets them. */
  why?: string
}

/** The way out of a session: to the other ones, or for guests on a device that others use too, to be forgotten. */
export function WayOut({ why = say('forget.unsent') }: WayOutProps) {
  if (hasAccount()) {
    return (
      <button type="button" onClick={backToSessions}>
        {say('play.to_sessions')}
      </button>
    )
  }
  return (
    <ConfirmButton title={say('forget.title')} why={why} act={logOutHere} kind="quiet">
      {say('forget.forget')}
    </ConfirmButton>
  )
}
