import type { Schema } from '../contract.js'
import { beginningOf } from '../formats/graphemes.js'
import { type DecisionLine, shownCharacters } from './queries.js'

type Decision = Schema<'SessionDecision'>
type FollowingMessage = Schema<'FollowingMessage'>
type Condition = Schema<'DecisionCondition'>

/** How many lines are listed for each option. */
const maxFollowing = 20

/**
 * The first lines of the plan that depend on a decision, if it ends in an option. `asked` are the
 * decisions so far: conditions on others are ignored, and what belongs to one that has ended is over.
 */
export function followingOf(
  { beat }: Pick<Decision, 'beat'>,
  { option }: Schema<'DecisionOption'>,
  asked: Decision[],
  lines: DecisionLine[],
): FollowingMessage[] {
  const ended = asked.flatMap((one) =>
    one.option === null ? [] : [[one.beat, one.option] as const],
  )
  const options = new Map(ended).set(beat, option)
  const isMade = new Set(asked.filter(({ status }) => status === 'decided').map((one) => one.beat))
  const isAbout = (one: Condition) => one.beat === beat
  const isMet = (one: Condition) => one.options.includes(options.get(one.beat) ?? '')
  const isUnmet = (one: Condition) => options.has(one.beat) && !isMet(one)
  const isOver = (other: string | null) => other !== null && other !== beat && options.has(other)
  const isUnsaid = (lapses: string | null) =>
    lapses !== null && (lapses === beat || isMade.has(lapses))
  const positions = new Set<number | null>()
  const ruledOut = new Set<number | null>()
  // Lines that differ only in another decision have the same text.
  const found = new Map<string, FollowingMessage>()
  for (const line of lines) {
    const { position, parent_position, lapses, root_lapses } = line
    const { only_if = [], unless = [] } = line.conditions ?? {}
    const isWithheld = only_if.some(isUnmet) || unless.some(isMet) || ruledOut.has(parent_position)
    if (isWithheld || isUnsaid(lapses) || isUnsaid(root_lapses)) {
      ruledOut.add(position)
      continue
    }
    const depends = [...only_if, ...unless].some(isAbout) || positions.has(parent_position)
    if (!depends || isOver(lapses) || isOver(line.acknowledges)) continue
    positions.add(position)
    const { conversation_id, sender_id, kind } = line
    const key = `${sender_id} ${line.content}`
    if (!found.has(key) && found.size < maxFollowing) {
      const content = beginningOf(line.content, shownCharacters)
      found.set(key, { conversation_id, sender_id, kind, content })
    }
  }
  return [...found.values()]
}
