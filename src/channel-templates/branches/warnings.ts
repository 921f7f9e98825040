import type { Fault, FaultType } from '../../faults.js'
import { listed } from '../linting/variables.js'
import type { Condition } from '../prepared-metadata.js'
import { type BranchLine, isBefore } from './lines.js'
import { reachOf } from './reach.js'
import { type Ask, isAsk, type Scenario } from './scenario.js'

/** Warns of lines that do not fit the decisions of their scenario. */
export function* branchWarnings(lines: BranchLine[], scenario: Scenario): Generator<Fault> {
  for (const line of lines) {
    yield* unknownNames(line, scenario)
    yield* withoutEffect(line, scenario)
    yield* unreached(line, scenario)
    if (isAsk(line)) yield* uselessParts(line, scenario)
  }
}

const warning = (type: FaultType, line: BranchLine, at: string[], msg: string): Fault => ({
  loc: [...line.loc, ...at],
  msg,
  type,
})

const conditionKeys = ['only_if', 'unless'] as const

/** Where a condition of a line is: a line has one or a list. */
function placeOf({ metadata }: BranchLine, key: string, index: number): string[] {
  return Array.isArray(metadata[key]) ? [key, String(index)] : [key]
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

function* withoutEffect(line: BranchLine, scenario: Scenario): Generator<Fault> {
  if (line.isAcknowledgement) {
    yield* unacknowledged(line, scenario)
    return
  }
  for (const key of conditionKeys) {
    for (const [i, { beat }] of line[key].entries()) {
      const asks = line.arms.flatMap((arm) => scenario.askIn(arm, beat) ?? [])
      if (asks.length === 0 || !asks.every((ask) => isBefore(line, ask))) continue
      yield warning('no_effect', line, placeOf(line, key, i), tooEarly[key])
    }
  }
}

const tooEarly = {
  only_if: 'The message is never posted: it comes before the one that asks for this decision',
  unless: 'The message is always posted: it comes before the one that asks for this decision',
}

/** Warns where an acknowledgement is not posted at once, or may not be. */
function* unacknowledged(line: BranchLine, scenario: Scenario): Generator<Fault> {
  const { only_if } = line
  if (only_if.length === 0) {
    const msg = 'It is not posted at once: an acknowledgement needs the decision in only_if'
    yield warning('no_effect', line, ['kind'], msg)
  }
  const acknowledged = scenario.acknowledgedBy(line)
  for (const [i, { beat }] of only_if.entries()) {
    const [ask] = scenario.asksOf(beat)
    const isOther = ask && acknowledged && ask !== acknowledged
    if (!isOther || scenario.hasEndedAt(ask, acknowledged)) continue
    const last = acknowledged.decision.beat
    const msg = `The message is not posted if people decide ${last} while this decision is open`
    yield warning('no_effect', line, placeOf(line, 'only_if', i), msg)
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
