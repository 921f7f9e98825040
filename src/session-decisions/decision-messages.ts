import type { Schema } from '../contract.js'
import type { Trx } from '../database/schema.js'
import { createId } from '../formats/identifiers.js'
import { selectThreadRoot } from '../session-messages/queries.js'
import { elapsedMs } from '../simulation-sessions/clock/clock.js'
import {
  type StoredDecision,
  selectAcknowledgements,
} from '../simulation-sessions/decisions/queries.js'
import type { DueLine } from '../simulation-sessions/engine/due-lines.js'
import type { StoredMessage } from '../simulation-sessions/engine/message-queries.js'
import { selectUnanswered } from '../simulation-sessions/expectation-queries.js'
import { holds } from '../simulation-sessions/plan/conditions.js'
import type { LockedSession } from '../simulation-sessions/queries.js'

/** What a user has decided. */
export type MadeChoice = Schema<'DecisionChoice'> & { user_id: string }

/** The message that says the decision: of the participant, or on their behalf of the character who asks. */
export async function messageFor(
  trx: Trx,
  session: LockedSession,
  { beat, message_id, conversation_id, options }: StoredDecision,
  { option, reason = null, on_behalf, user_id }: MadeChoice,
): Promise<StoredMessage> {
  const of = { organization_id: session.organization_id, session_id: session._id }
  const asked = await selectThreadRoot(trx, of, { _id: message_id, conversation_id })
  if (!asked) throw new Error('The message that asks for a decision is missing')
  const label = options.find((one) => one.option === option)?.label ?? option
  const thread = { ...of, thread_id: message_id }
  const unanswered = on_behalf ? [] : await selectUnanswered(trx, thread)
  return {
    ...of,
    seq: session.last_seq + 1,
    _id: createId(),
    conversation_id,
    channel_id: asked.channel_id,
    thread_id: message_id,
    plan_position: null,
    sender_id: on_behalf ? asked.sender_id : user_id,
    sender_kind: on_behalf ? 'character' : 'participant',
    author_id: user_id,
    client_message_id: null,
    injected: on_behalf,
    content: reason === null ? label : `${label}\n${reason}`,
    kind: null,
    beat: null,
    expectation: null,
    artefact: null,
    decides: { beat, status: 'decided', option, made_by: user_id, on_behalf, reason },
    answers: [message_id, ...unanswered.map(({ _id }) => _id)],
    // A running session has a clock.
    offset_ms: elapsedMs(session, session.now) ?? 0,
    posted_at: session.now,
  }
}

/** The prepared acknowledgements of a decision, with their replies, as lines to be posted now. */
export async function acknowledgementsOf(
  trx: Trx,
  { organization_id, _id: session_id }: LockedSession,
  decisions: StoredDecision[],
  decided: StoredDecision,
): Promise<DueLine[]> {
  const { beat } = decided
  const entries = await selectAcknowledgements(trx, { organization_id, session_id, beat })
  const ended = new Map([...decisions, decided].map((one) => [one.beat, one]))
  const ids = new Map<number, string>()
  return entries.flatMap((entry) => {
    const { position, parent_position, conditions } = entry
    const thread_id = parent_position === null ? null : (ids.get(parent_position) ?? null)
    const isOrphan = parent_position !== null && thread_id === null
    if (isOrphan || !holds(conditions, ended)) return []
    const _id = createId()
    ids.set(position, _id)
    return [{ entry, _id, thread_id, withheld: null, decides: null }]
  })
}
