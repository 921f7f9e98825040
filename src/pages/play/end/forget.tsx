import { ConfirmButton } from '../../shared/forms/confirm.js'
import { say } from '../../shared/words/words.js'
import { logOutHere } from '../account.js'

/** For guests on a device that others use too. After the end, a link no longer opens its place. */
export const Forget = () => (
  <ConfirmButton title={say('forget.title')} why={say('forget.text')} act={logOutHere} kind="quiet">
    {say('forget.forget')}
  </ConfirmButton>
)
