import type { Fault } from '../../faults.js'
import { listed } from '../linting/variables.js'
import type { Condition } from '../prepared-metadata.js'
import { conditionKeys, placeOf, warning } from './branch-warning.js'
import { effectWarnings } from './effects.js'
import type { BranchLine } from './lines.js'
import { reachOf } from './reach.js'
import { type Ask, isAsk, type Scenario } from './scenario.js'

/** Warns of lines that do not fit the decisions of their scenario. */
export function* branchWarnings(lines: BranchLine[], scenario: Scenario): Generator<Fault> {
  for (const line of lines) {
    yield* unknownNames(line, scenario)
    yield* effectWarnings(line, scenario)
    yield* unreached(line, scenario)
    if (isAsk(line)) yield* uselessParts(line, scenario)
  }
}

function* unknownNames(line: BranchLine, scenario: Scenario): Generator<Fault> {
  for (const key of conditionKeys) {
    for (const [i, condition] of line[key].entries()) {
      yield* unknownIn(condition, line, placeOf(line, key, i), scenario)
    }
  }
  const { fallback_for } = line
  if (fallback_for === null || scenario.hasAsking(fallback_for)) return
  const msg = 'No message of the scenario with this beat has an expectation'
  yield warning('unknown_decision', line, ['fallback_for'], msg)
}

function* unknownIn(
  { beat, options }: Condition,
  line: BranchLine,
  at: string[],
  scenario: Scenario,
): Generator<Fault> {
  const known = scenario.optionsOf(beat)
  if (known.size === 0) {
    const { beats } = scenario
    const others = beats.length > 0 ? `; it asks for ${listed(beats)}` : ''
    const msg = `The scenario does not ask for this decision${others}`
    yield warning('unknown_decision', line, [...at, 'beat'], msg)
    return
  }
  for (const [i, option] of options.entries()) {
    if (known.has(option)) continue
    const msg = `The decision does not have this option; it has ${listed([...known])}`
    yield warning('unknown_option', line, [...at, 'options', String(i)], msg)
  }
}

function* unreached(line: BranchLine, scenario: Scenario): Generator<Fault> {
  const key = (['only_if', 'unless', 'fallback_for'] as const).find(
    (one) => line[one] !== null && line[one].length > 0,
  )
  if (!key) return
  if (line.arms.length === 0 || isReached(line, scenario)) return
  // The warning of a message is enough for its replies.
  if (line.root && !isReached(line.root, scenario)) return
  const isInLoop = line.arms.some((arm) => reachOf(line, arm, scenario) === 'loop')
  yield isInLoop
    ? warning('decision_loop', line, [key], 'The decision waits for itself')
    : warning('unreachable', line, [key], 'No path reaches this message: conditions contradict')
}

const isReached = (line: BranchLine, scenario: Scenario) =>
  line.arms.some((arm) => reachOf(line, arm, scenario) === 'reached')

function* uselessParts(ask: Ask, scenario: Scenario): Generator<Fault> {
  const at = ['expectation', 'decision']
  const { beat, options } = ask.decision
  if (scenario.isRepeated(ask)) {
    const msg = 'An earlier message asks for this decision: this one does not ask again'
    yield warning('repeated_decision', ask, at, msg)
    return
  }
  for (const [i, { option }] of options.entries()) {
    if (scenario.isNamed(beat, option)) continue
    const msg = 'No message of the scenario depends on this option'
    yield warning('no_consequence', ask, [...at, 'options', String(i)], msg)
  }
}
