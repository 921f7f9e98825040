import type { Fault } from '../../faults.js'
import { conditionKeys, placeOf, warning } from './branch-warning.js'
import { type BranchLine, isBefore, type SessionArm } from './lines.js'
import { type Ask, type Scenario, timeOf } from './scenario.js'

const tooEarly = {
  only_if: 'The message is never posted: it comes before the one that asks for this decision',
  unless:
    'The condition has no effect: the message comes before the one that asks for this decision',
}

/** Warns of conditions without effect, and of acknowledgements that may not be posted at once. */
export function* effectWarnings(line: BranchLine, scenario: Scenario): Generator<Fault> {
  if (line.isAcknowledgement) yield* notPostedAtOnce(line, scenario)
  for (const key of conditionKeys) {
    for (const [i, { beat }] of line[key].entries()) {
      if (!isBeforeAsk(line, beat, scenario)) continue
      yield warning('no_effect', line, placeOf(line, key, i), tooEarly[key])
    }
  }
}

/** Whether a line comes before the message that asks for a decision, in each of its arms. */
function isBeforeAsk(line: BranchLine, beat: string, scenario: Scenario): boolean {
  const arms = line.arms.filter((arm) => scenario.askIn(arm, beat))
  const isEarlyIn = (arm: SessionArm) => {
    const ask = scenario.askIn(arm, beat)
    return ask !== undefined && isOverAt(line, ask, arm, scenario)
  }
  return arms.length > 0 && arms.every(isEarlyIn)
}

/** Whether a line is posted or withheld before a decision is asked for. */
function isOverAt(line: BranchLine, ask: Ask, arm: SessionArm, scenario: Scenario): boolean {
  const acknowledged = line.isAcknowledgement ? scenario.acknowledgedAsk(line, arm) : undefined
  return acknowledged ? scenario.deadlineOf(acknowledged) <= timeOf(ask) : isBefore(line, ask)
}

function* notPostedAtOnce(line: BranchLine, scenario: Scenario): Generator<Fault> {
  const { only_if, arms } = line
  if (only_if.length === 0) {
    const msg = 'It is not posted at once: an acknowledgement needs the decision in only_if'
    yield warning('no_effect', line, ['kind'], msg)
  }
  for (const [i, { beat }] of only_if.entries()) {
    const [last] = arms.flatMap((arm) => askBeforeEndOf(beat, line, arm, scenario) ?? [])
    if (!last) continue
    const msg = `The message is not posted if people decide ${last.decision.beat} while this decision is open`
    yield warning('no_effect', line, placeOf(line, 'only_if', i), msg)
  }
}

/** The ask that an acknowledgement answers, if another decision may be open then. */
function askBeforeEndOf(
  beat: string,
  line: BranchLine,
  arm: SessionArm,
  scenario: Scenario,
): Ask | undefined {
  const ask = scenario.askIn(arm, beat)
  const acknowledged = scenario.acknowledgedAsk(line, arm)
  if (!ask || !acknowledged || ask === acknowledged) return undefined
  return scenario.hasEndedAt(ask, acknowledged, arm) ? undefined : acknowledged
}
