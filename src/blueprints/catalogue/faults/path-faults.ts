import {
  type Conditions,
  conditionsOf,
  holdWith,
  isEmpty,
  notAsked,
  outcomesOf,
} from '../decisions/conditions.js'
import { type DecisionPoint, listOf } from '../entries.js'
import { causesIn } from './circle-faults.js'
import { type FileFault, fault, type LocatedLine } from './line-faults.js'

/** Finds lines and replies that no path reaches. No line may wait for itself. */
export function pathFaults(lines: LocatedLine[], decisions: DecisionPoint[]): FileFault[] {
  const asks = new Map(
    decisions.map(({ beat }) => [
      beat,
      lines.filter(({ line }) => line.kind === 'decision_point' && line.beat === beat),
    ]),
  )
  const conditionsAbove = conditionsIn(lines, asks)
  const isAlwaysAsked = ({ beat }: DecisionPoint) =>
    (asks.get(beat) ?? []).some((one) => conditionsAbove(one).every(isEmpty))
  const outcomes = new Map(
    decisions.map((one) => [one, [...outcomesOf(one), ...(isAlwaysAsked(one) ? [] : [notAsked])]]),
  )
  const isReached = (all: Conditions[]) =>
    [...outcomes].every(([decision, possible]) =>
      possible.some((outcome) => all.every((one) => holdWith(one, decision, outcome))),
    )
  return lines.flatMap((one) => {
    const { line, path } = one
    const above = conditionsAbove(one)
    if (!isReached(above))
      return fault(path, `no path reaches ${line.id}: its conditions exclude each other`)
    const lapsing = new Set(above.flatMap(({ fallback_for }) => fallback_for ?? []))
    if (lapsing.size > 1) {
      return fault(path, `it waits for ${[...lapsing].join(' and ')} to lapse: it may wait for one`)
    }
    return (line.replies ?? []).flatMap((reply, i) =>
      isReached([...above, conditionsOf(reply)])
        ? []
        : fault(
            [...path, 'replies', i],
            'no path reaches this reply: its conditions exclude each other',
          ),
    )
  })
}

/** Returns what collects the conditions of a line, of its causes and of the decisions it needs. */
function conditionsIn(lines: LocatedLine[], asks: ReadonlyMap<string, LocatedLine[]>) {
  const causesOf = causesIn(lines)
  const known = new Map<LocatedLine, Conditions[]>()
  function conditionsAbove(one: LocatedLine): Conditions[] {
    const found = known.get(one)
    if (found) return found
    const own = conditionsOf(one.line)
    // Lines that wait for each other are another fault. Here they only have to come to an end.
    known.set(one, [own])
    const causes = causesOf(one)
    const replies = causes.flatMap(({ line }) => line.replies ?? [])
    const after = replies.filter(({ id }) => id && listOf(one.line.after).includes(id))
    // Of a decision that is asked in several places, one of them is enough.
    const needed = own.only_if.flatMap(({ beat }) => {
      const [ask, ...others] = asks.get(beat) ?? []
      return ask && others.length === 0 ? [ask] : []
    })
    const all = [
      ...[...causes, ...needed].flatMap(conditionsAbove),
      ...after.map(conditionsOf),
      own,
    ]
    const once = [...new Map(all.map((each) => [JSON.stringify(each), each])).values()]
    known.set(one, once)
    return once
  }
  return conditionsAbove
}
