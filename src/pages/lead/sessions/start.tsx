import { useState } from 'preact/hooks'
import { Confirm } from '../../shared/forms/confirm.js'
import { clockCalls, readParticipants } from '../calls/sessions.js'
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
    <Confirm
      title={say('lead.startTitle')}
      why={`${missing} ${say('lead.startWhy')}`}
      act={startNow}
      kind="primary"
      onClose={() => setMissing(null)}
    >
      {say('lead.startNow')}
    </Confirm>
  )
  return { start, question }
}
