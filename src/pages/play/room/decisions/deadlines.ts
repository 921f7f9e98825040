import type { Schema } from '../../../shared/forms/schema.js'
import type { Room } from '../../../shared/room/room.js'

type Decision = Schema<'SessionDecision'>

/** A decision, or a question without one, that participants have been asked. */
export type Asked = Decision | Schema<'SessionExpectation'>

export interface Deadline {
  message_id: string
  conversation_id: string
  /** Null while the clock stands still. */
  at: string | null
  /** In a pause: how much real time is left when the clock goes on. */
  left_ms: number | null
  text: string
  decision: Decision | null
}

export const isDecision = (one: Asked): one is Decision => 'beat' in one

export function askedOf({ decisions, expectations }: Room): Asked[] {
  const ids = new Set(decisions.value.map(({ message_id }) => message_id))
  const questions = expectations.value.filter(({ message_id }) => !ids.has(message_id))
  return [...decisions.value, ...questions]
}

/** What waits for participants now, the next deadline first. */
export const deadlinesOf = (room: Room): Deadline[] =>
  askedOf(room)
    .filter(({ status }) => status === 'open')
    .map((one) => {
      const { conversation_id, left_ms } = one
      const place = { message_id: one.message_id ?? '', conversation_id, left_ms }
      return isDecision(one)
        ? { ...place, at: one.deadline_at, text: one.question, decision: one }
        : { ...place, at: one.due_at, text: one.act, decision: null }
    })
    .sort((a, b) => timeOf(a) - timeOf(b))

const timeOf = ({ at, left_ms }: Deadline) => (at === null ? (left_ms ?? 0) : Date.parse(at))

/** Whether a participant with a role may make a decision. */
export const mayDecide = (
  { decided_by }: Pick<Decision, 'decided_by'>,
  role_key: string | null | undefined,
) => decided_by.length === 0 || (role_key != null && decided_by.includes(role_key))
