import { useState } from 'preact/hooks'
import { Confirm } from '../../shared/forms/confirm.js'
import type { Schema } from '../../shared/forms/schema.js'
import { clockCalls, readParticipants, readReadiness } from '../calls/sessions.js'
import { may } from '../me.js'
import { dateOf, say } from '../words/words.js'

type Places = readonly Schema<'ParticipantAssignment'>[]

/** Says who is missing; null if everybody has joined. */
export function missingOf(places: Places): string | null {
  const { length: count } = places
  if (count === 0) return say('lead.startNobody')
  const absent = places.filter(({ joined_at, left_at }) => !joined_at || left_at)
  if (absent.length === 0) return null
  // A guest is called "Guest 1" before joining.
  const names = absent
    .map(
      ({ full_name, role_title }) => `${full_name ?? '–'}${role_title ? ` (${role_title})` : ''}`,
    )
    .join(', ')
  const joined = count - absent.length
  return `${say('lead.startMissing', { joined, count })} ${say('lead.startAbsent', { names })}`
}

interface ComingStartProps {
  session: Pick<Schema<'SimulationSession'>, 'status' | 'starts_at'>
  places: Places | null
}

/** Before the start: that the clock starts by itself, and who is missing. */
export function ComingStart({ session: { status, starts_at }, places }: ComingStartProps) {
  const isPlanned = status === 'scheduled' && starts_at !== null
  const texts = [
    isPlanned && say('lead.startsItself', { date: dateOf(starts_at) }),
    places && missingOf(places),
  ].filter(Boolean)
  return texts.length > 0 ? <p>{texts.join(' ')}</p> : null
}

export const waitsForExperiment = ({ checks }: Schema<'SessionReadiness'>): boolean =>
  checks.some(({ check, passed }) => check === 'experiment' && !passed)

/** Returns warnings about a start now, in one text; null if there are none. */
async function warningsBefore(session_id: string): Promise<string | null> {
  const [places, readiness] = await Promise.all([
    may('listParticipants') ? readParticipants(session_id) : null,
    may('getSessionReadiness') ? readReadiness(session_id) : null,
  ])
  const warnings = [
    places && missingOf(places),
    readiness && waitsForExperiment(readiness) && say('lead.startExperiment'),
  ].filter(Boolean)
  return warnings.length > 0 ? warnings.join(' ') : null
}

/** Starts a session. If there are warnings, it asks first. */
export function useStart(session_id: string, onStarted: () => void) {
  const [warnings, setWarnings] = useState<string | null>(null)
  const startNow = async () => {
    await clockCalls.start(session_id)
    setWarnings(null)
    onStarted()
  }
  const start = async () => {
    const found = await warningsBefore(session_id)
    if (found === null) await startNow()
    else setWarnings(found)
  }
  const question = warnings !== null && (
    <Confirm
      title={say('lead.startTitle')}
      why={`${warnings} ${say('lead.startWhy')}`}
      act={startNow}
      kind="primary"
      onClose={() => setWarnings(null)}
    >
      {say('lead.startNow')}
    </Confirm>
  )
  return { start, question }
}
