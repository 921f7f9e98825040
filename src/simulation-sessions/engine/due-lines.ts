import type { Trx } from '../../database/schema.js'
import { createId } from '../../formats/identifiers.js'
import { type StoredEntry, selectPosted } from '../plan/queries.js'
import type { LockedSession, OfSession, SessionKey } from '../queries.js'

/** What happens to a due line: it is posted as message `_id`, or withheld. */
export interface DueLine {
  entry: StoredEntry
  _id: string
  thread_id: string | null
  isWithheld: boolean
}

/**
 * Decides what happens to due lines, in the order of the plan. A fallback is withheld if a participant
 * has answered, and so are the replies to a withheld line.
 */
export async function decideLines(
  trx: Trx,
  { organization_id, _id: session_id }: SessionKey,
  entries: StoredEntry[],
): Promise<DueLine[]> {
  const posted = await selectEarlier(trx, { organization_id, session_id }, entries)
  const decided = new Map<number, DueLine>()
  return entries.map((entry) => {
    const { parent_position, unless_answered, position } = entry
    const thread_id =
      parent_position === null
        ? null
        : (decided.get(parent_position)?._id ?? posted.get(parent_position)?._id ?? null)
    const isOrphan =
      parent_position !== null &&
      (thread_id === null || decided.get(parent_position)?.isWithheld === true)
    const isAnswered = unless_answered !== null && posted.get(unless_answered)?.is_answered === true
    const line = { entry, _id: createId(), thread_id, isWithheld: isOrphan || isAnswered }
    decided.set(position, line)
    return line
  })
}

/** The messages that were posted before for the positions that these lines refer to. */
async function selectEarlier(trx: Trx, of: OfSession, entries: StoredEntry[]) {
  const wanted = entries
    .flatMap(({ parent_position, unless_answered }) => [parent_position, unless_answered])
    .filter((position) => position !== null)
  if (wanted.length === 0) return new Map()
  const rows = await selectPosted(trx, of, [...new Set(wanted)])
  return new Map(rows.map((row) => [row.plan_position, row]))
}

/** Returns the messages of the lines that are not withheld, in their order, each with the next `seq`. */
export function messagesOf({ last_seq, now: posted_at }: LockedSession, lines: DueLine[]) {
  return lines
    .filter(({ isWithheld }) => !isWithheld)
    .map(({ entry, _id, thread_id }, i) => {
      const { position: plan_position, parent_position, unless_answered, ...message } = entry
      return {
        ...message,
        injected: false,
        _id,
        thread_id,
        plan_position,
        seq: last_seq + 1 + i,
        sender_kind: 'character' as const,
        author_id: null,
        client_message_id: null,
        answers: [],
        posted_at,
      }
    })
}
