import type { Schema } from '../contract.js'
import { type Fault, notJoined, sessionEnded, sessionNotRunning, valueFault } from '../errors.js'
import { isIn, type Part } from '../simulation-sessions/find-session.js'
import { hasEnded } from '../simulation-sessions/lifecycle.js'
import type { StoredSession } from '../simulation-sessions/queries.js'

type NewMessage = Schema<'NewSessionMessage'>

export interface Speaker {
  sender_id: string
  sender_kind: Schema<'SenderKind'>
  injected: boolean
}

/** Throws 409 after the end of a session, before the caller has joined, and while it does not run. */
export function requireVoice(
  { status }: Pick<StoredSession, 'status'>,
  { kind, assignment }: Part,
  as_character_id: string | null,
): void {
  if (hasEnded(status)) throw sessionEnded(status)
  const speaksAsTrainer = kind === 'trainer' && (as_character_id !== null || !assignment)
  if (kind !== 'character' && !speaksAsTrainer && !isIn(assignment)) throw notJoined()
  if (status !== 'running') throw sessionNotRunning(status)
}

/** Whose voice it is, or why it cannot be theirs. Asked of whoever has one. */
export function speakerOf(
  user_id: string,
  { kind, assignment }: Part,
  cast_ids: string[],
  as_character_id: string | null,
): Speaker | Fault {
  const loc = ['body', 'as_character_id']
  if (kind === 'character') {
    if (as_character_id !== null) return valueFault(loc, 'is not the character of the caller')
    return { sender_id: user_id, sender_kind: 'character', injected: false }
  }
  if (as_character_id !== null) {
    if (kind !== 'trainer') return valueFault(loc, 'only those who lead speak as a character')
    if (!cast_ids.includes(as_character_id)) return valueFault(loc, 'is not in the cast')
    return { sender_id: as_character_id, sender_kind: 'character', injected: true }
  }
  if (!assignment) return { loc, msg: 'Field required', type: 'missing' }
  return { sender_id: user_id, sender_kind: 'participant', injected: false }
}

/** The character whom a message names, unless that is the caller. */
export function namedCharacter({ as_character_id }: NewMessage, user_id: string): string | null {
  return !as_character_id || as_character_id === user_id ? null : as_character_id
}
