import type { Schema } from '../../contract.js'
import type { Conditions } from '../../database/tables/sessions.js'

type Ended = Pick<Schema<'DecisionMade'>, 'option'>
type Condition = Schema<'DecisionCondition'>

/** Whether a line may be posted now, by the decisions so far. An open decision has no option. */
export function holds(
  conditions: Conditions | null,
  decisions: ReadonlyMap<string, Ended>,
): boolean {
  if (!conditions) return true
  const isMet = ({ beat, options }: Condition) => {
    const option = decisions.get(beat)?.option ?? null
    return option !== null && options.includes(option)
  }
  return conditions.only_if.every(isMet) && !conditions.unless.some(isMet)
}
