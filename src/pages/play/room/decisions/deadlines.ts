import type { Schema } from '../../../shared/forms/schema.js'
import type { Room } from '../../../shared/room/room.js'

export interface Deadline {
  message_id: string
  conversation_id: string
  /** Null while the clock stands still. */
  at: string | null
  text: string
  decision: Schema<'SessionDecision'> | null
}

/** What waits for participants now, the next deadline first. */
export function deadlinesOf(room: Room): Deadline[] {
  const decisions = room.decisions.value
    .filter(({ status }) => status === 'open')
    .map((decision) => ({
      message_id: decision.message_id ?? '',
      conversation_id: decision.conversation_id,
      at: decision.deadline_at,
      text: decision.question,
      decision,
    }))
  const asked = new Set(room.decisions.value.map(({ message_id }) => message_id))
  const expectations = room.expectations.value
    .filter(({ status, message_id }) => status === 'open' && !asked.has(message_id))
    .map(({ message_id, conversation_id, due_at, act }) => ({
      message_id,
      conversation_id,
      at: due_at,
      text: act,
      decision: null,
    }))
  return [...decisions, ...expectations].sort((a, b) => timeOf(a) - timeOf(b))
}

const timeOf = ({ at }: Deadline) => (at === null ? Number.POSITIVE_INFINITY : Date.parse(at))

/** Whether a participant with a role may make a decision. */
export const mayDecide = (
  { decided_by }: Pick<Schema<'SessionDecision'>, 'decided_by'>,
  role_key: string | null | undefined,
) => decided_by.length === 0 || (role_key != null && decided_by.includes(role_key))
