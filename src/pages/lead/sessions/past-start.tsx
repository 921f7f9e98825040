import { useState } from 'preact/hooks'
import { Confirm } from '../../shared/forms/confirm.js'
import { instantOf } from '../elements/local-time.js'
import { say } from '../words/words.js'

/** Saves a session. If its start has just passed, it asks first: the drill then begins at once. */
export function usePastStart(save: () => Promise<void>) {
  const [isAsking, setAsking] = useState(false)
  const saveOrAsk = async (starts_at: string) => {
    if (hasJustPassed(instantOf(starts_at))) setAsking(true)
    else await save()
  }
  const question = isAsking && (
    <Confirm
      title={say('lead.pastStartTitle')}
      why={`${say('lead.pastStartWhy')} ${say('lead.startWhy')}`}
      act={save}
      kind="primary"
      onClose={() => setAsking(false)}
    >
      {say('lead.startNow')}
    </Confirm>
  )
  return { saveOrAsk, question }
}

const dayMs = 86_400_000

/** Whether a session would begin at once. A start more than a day ago the service refuses, at its field. */
function hasJustPassed(starts_at: string | null): boolean {
  const ago = starts_at === null ? -1 : Date.now() - Date.parse(starts_at)
  return ago >= 0 && ago < dayMs
}
