import type { Schema } from '../../contract.js'
import type { Trx } from '../../database/schema.js'
import { createId } from '../../formats/identifiers.js'
import { type StoredDecision, selectDecisions } from '../decisions/queries.js'
import { holds } from '../plan/conditions.js'
import { type StoredEntry, selectPosted } from '../plan/queries.js'
import type { OfSession, SessionKey } from '../queries.js'

/** Why a line is not posted; the contract explains the values at `message_withheld`. */
type Reason = 'answered' | 'decided' | 'not_chosen' | 'thread_withheld'

/** What happens to a due line: it is posted as message `_id`, or withheld. */
export interface DueLine {
  entry: StoredEntry
  _id: string
  thread_id: string | null
  /** Null if it is posted. */
  withheld: Reason | null
  /** How the decision ended that lapses with this line. */
  decides: Schema<'DecisionMade'> | null
}

type Decision = Pick<StoredDecision, 'status' | 'option' | 'fallback_option'>
type Decisions = Map<string, Decision>

/**
 * Decides what happens to due lines, in the order of the plan. A fallback is withheld if a participant
 * has answered or decided; a line whose conditions do not hold is withheld; and so are the replies to a
 * withheld line. Acknowledgements that were posted with their decision are left out.
 */
export async function decideLines(
  trx: Trx,
  { organization_id, _id: session_id }: SessionKey,
  entries: StoredEntry[],
): Promise<DueLine[]> {
  const of = { organization_id, session_id }
  const posted = await selectEarlier(trx, of, entries)
  const decisions = await selectNeeded(trx, of, entries)
  const due = new Map<number, DueLine>()
  /** The message at a position, if it is posted. */
  const threadOf = (position: number): string | null => {
    const line = due.get(position)
    if (line) return line.withheld ? null : line._id
    return posted.get(position)?._id ?? null
  }
  for (const entry of entries) {
    const { parent_position, unless_answered, position, acknowledges } = entry
    if (acknowledges !== null && posted.has(position)) continue
    const thread_id = parent_position === null ? null : threadOf(parent_position)
    const isOrphan = parent_position !== null && thread_id === null
    const isAnswered = unless_answered !== null && posted.get(unless_answered)?.is_answered === true
    const withheld =
      (isOrphan && 'thread_withheld') ||
      (isAnswered && 'answered') ||
      reasonToWithhold(entry, decisions)
    const decides = withheld ? null : lapse(entry, decisions)
    if (withheld === null) open(entry, decisions)
    due.set(position, { entry, _id: createId(), thread_id, withheld, decides })
  }
  return [...due.values()]
}

/** Why decisions forbid a line; null if they do not. */
function reasonToWithhold(
  { conditions, lapses, acknowledges }: StoredEntry,
  decisions: Decisions,
): Reason | null {
  const lapsing = lapses === null ? null : (decisions.get(lapses)?.status ?? 'not asked')
  if (lapsing === 'decided') return 'decided'
  const isWanted = lapsing !== 'not asked' && acknowledges === null && holds(conditions, decisions)
  return isWanted ? null : 'not_chosen'
}

/** Notes the decision that a posted line asks for: a later line may depend on it. */
function open({ beat, fallback_option }: StoredEntry, decisions: Decisions): void {
  if (beat === null || fallback_option === null) return
  decisions.set(beat, { status: 'open', option: null, fallback_option })
}

/** Lets a decision that is open take its fallback option. Returns how it ended. */
function lapse({ lapses: beat }: StoredEntry, decisions: Decisions): DueLine['decides'] {
  const decision = beat === null ? undefined : decisions.get(beat)
  if (beat === null || decision?.status !== 'open') return null
  const { fallback_option: option } = decision
  decisions.set(beat, { ...decision, status: 'lapsed', option })
  return { beat, status: 'lapsed', option, made_by: null, on_behalf: false, reason: null }
}

/** The decisions so far, if one of the lines depends on a decision. */
async function selectNeeded(trx: Trx, of: OfSession, entries: StoredEntry[]): Promise<Decisions> {
  const isNeeded = entries.some(({ conditions, lapses }) => conditions !== null || lapses !== null)
  const rows = isNeeded ? await selectDecisions(trx, of) : []
  return new Map(rows.map((row) => [row.beat, row]))
}

/** The messages that were posted before for the positions that these lines refer to. */
async function selectEarlier(trx: Trx, of: OfSession, entries: StoredEntry[]) {
  const wanted = entries
    .flatMap(({ position, parent_position, unless_answered, acknowledges }) => {
      return [parent_position, unless_answered, acknowledges === null ? null : position]
    })
    .filter((position) => position !== null)
  const rows = wanted.length === 0 ? [] : await selectPosted(trx, of, [...new Set(wanted)])
  return new Map(rows.map((row) => [row.plan_position, row]))
}

export const isPosted = ({ withheld }: DueLine) => withheld === null
