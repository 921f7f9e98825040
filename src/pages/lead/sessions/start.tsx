import { useState } from 'preact/hooks'
import { Dialog } from '../../shared/dialog.js'
import { ActionFault, useAction } from '../../shared/forms/action.js'
import { clockCalls, readParticipants } from '../calls/sessions.js'
import { ActionButton } from '../elements/action-button.js'
import { may } from '../me.js'
import { say } from '../words/words.js'

/** Returns who is missing now; null if everybody has joined. */
async function missingIn(session_id: string): Promise<string | null> {
  if (!may('listParticipants')) return null
  const places = await readParticipants(session_id)
  if (places.length === 0) return say('lead.startNobody')
  const joined = places.filter(({ joined_at, left_at }) => joined_at && !left_at).length
  return joined < places.length ? say('lead.startMissing', { joined, count: places.length }) : null
}

/** Starts a session. While somebody is missing, a question is asked first. */
export function useStart(session_id: string, onStarted: () => void) {
  const [missing, setMissing] = useState<string | null>(null)
  const startNow = async () => {
    await clockCalls.start(session_id)
    setMissing(null)
    onStarted()
  }
  const start = async () => {
    const found = await missingIn(session_id)
    if (found === null) await startNow()
    else setMissing(found)
  }
  const question = missing !== null && (
    <StartQuestion missing={missing} act={startNow} onClose={() => setMissing(null)} />
  )
  return { start, question }
}

interface StartQuestionProps {
  missing: string
  act: () => Promise<void>
  onClose: () => void
}

function StartQuestion({ missing, act, onClose }: StartQuestionProps) {
  const action = useAction()
  return (
    <Dialog title={say('lead.startTitle')} onClose={onClose}>
      <p>
        {missing} {say('lead.startWhy')}
      </p>
      <ActionFault action={action} />
      <div class="row">
        <ActionButton action={action} act={act} kind="primary">
          {say('lead.startNow')}
        </ActionButton>
        <button type="button" onClick={onClose}>
          {say('action.cancel')}
        </button>
      </div>
    </Dialog>
  )
}
