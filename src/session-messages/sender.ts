import type { Schema } from '../contract.js'
import { notJoined, sessionEnded, sessionNotRunning } from '../errors.js'
import { type Fault, valueFault } from '../faults.js'
import { hasJoined } from '../simulation-sessions/find-session.js'
import { hasEnded } from '../simulation-sessions/lifecycle.js'
import type { StoredSession } from '../simulation-sessions/queries.js'
import type { SessionPart } from '../simulation-sessions/team/part-queries.js'

type NewMessage = Schema<'NewSessionMessage'>

export interface Speaker {
  sender_id: string
  sender_kind: Schema<'SenderKind'>
  injected: boolean
}

/** Throws 409 if the session has ended or does not run, or if the caller has not joined. */
export function requireVoice(
  { status }: Pick<StoredSession, 'status'>,
  { kind, place }: SessionPart,
  as_character_id: string | null,
): void {
  if (hasEnded(status)) throw sessionEnded(status)
  const speaksAsTrainer = kind === 'trainer' && (as_character_id !== null || !place)
  if (kind !== 'character' && !speaksAsTrainer && !hasJoined(place)) throw notJoined()
  if (status !== 'running') throw sessionNotRunning(status)
}

/** Returns the sender of a message, or a fault in `as_character_id`. Call requireVoice first. */
export function speakerOf(
  user_id: string,
  { kind, place }: SessionPart,
  cast_ids: string[],
  as_character_id: string | null,
): Speaker | Fault {
  const loc = ['body', 'as_character_id']
  if (kind === 'character') {
    if (as_character_id !== null)
      return valueFault(loc, 'not_your_character', 'is not the character of the caller')
    return { sender_id: user_id, sender_kind: 'character', injected: false }
  }
  if (as_character_id !== null) {
    if (kind !== 'trainer')
      return valueFault(loc, 'not_your_character', 'only those who lead speak as a character')
    if (!cast_ids.includes(as_character_id))
      return valueFault(loc, 'unknown_character', 'is not in the cast')
    return { sender_id: as_character_id, sender_kind: 'character', injected: true }
  }
  if (!place) return { loc, msg: 'Field required', type: 'missing' }
  return { sender_id: user_id, sender_kind: 'participant', injected: false }
}

/** Returns the character that a message names, unless it is the caller. */
export function namedCharacter({ as_character_id }: NewMessage, user_id: string): string | null {
  return !as_character_id || as_character_id === user_id ? null : as_character_id
}
