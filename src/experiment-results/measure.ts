import type { Schema } from '../contract.js'
import type { Db } from '../database/schema.js'
import type { ExperimentData } from '../database/tables/simulation.js'
import type { Pause } from '../turns/slices.js'
import type { AnalysisPlan } from './analysis-plan.js'
import type { Outcome } from './outcomes/common-outcomes.js'
import { outcomesOf } from './outcomes/outcomes.js'
import { agreementOn } from './outcomes/ratings.js'
import type { Rating } from './outcomes/transcript.js'
import { readSessions } from './outcomes/transcripts.js'
import type { CountedSession } from './session-states.js'

type OutcomeColumn = ExperimentData['outcomes'][number]

/** The parts of a request that measuring needs. */
export interface MeasureContext {
  db: Db
  pause: Pause
}

export interface Measured {
  data: ExperimentData
  agreement: Schema<'RaterAgreement'>[]
}

/**
 * Measures every outcome of every counted session. The outcomes of the plan come first, then all
 * others that at least one session has.
 */
export async function measure(
  context: MeasureContext,
  organization_id: string,
  sessions: CountedSession[],
  plan: AnalysisPlan | null,
): Promise<Measured> {
  const ids = sessions.map(({ session_id }) => session_id)
  const { found, ordinal, ratings } = await collect(context, organization_id, ids)
  const columnOf = (name: string) => {
    const { outcome, values } = found.get(name) ?? { outcome: missing(name), values: new Map() }
    const { compute, ...described } = outcome
    return { ...described, ...roleOf(plan, name), values: ids.map((id) => values.get(id) ?? null) }
  }
  const planned = namesIn(plan)
  const others = [...found.keys()].filter((name) => !planned.includes(name)).map(columnOf)
  const outcomes = [...planned.map(columnOf), ...others.filter(hasValue)]
  const agreement = ordinal.map((criterion) => agreementOn(criterion, ratings))
  return { data: { sessions, outcomes }, agreement: agreement.filter(({ raters }) => raters > 0) }
}

/** Reads the sessions one by one, and collects their outcomes, ordinal criteria and ratings. */
async function collect({ db, pause }: MeasureContext, organization_id: string, ids: string[]) {
  const found = new Map<string, { outcome: Outcome; values: Map<string, number | null> }>()
  const ordinal = new Set<string>()
  const ratings: Rating[][] = []
  for await (const { session_id, scenario, transcript } of readSessions(db, organization_id, ids)) {
    for (const outcome of outcomesOf(scenario)) {
      await pause()
      const column = found.get(outcome.outcome) ?? { outcome, values: new Map() }
      found.set(outcome.outcome, column)
      column.values.set(session_id, outcome.compute(transcript))
    }
    for (const { criterion, scale } of scenario.rubric) {
      if (scale.type === 'ordinal') ordinal.add(criterion)
    }
    ratings.push(transcript.ratings)
  }
  return { found, ordinal: [...ordinal], ratings }
}

const hasValue = ({ values }: OutcomeColumn) => values.some((value) => value !== null)

const namesIn = (plan: AnalysisPlan | null) =>
  plan ? [plan.primary_outcome, ...plan.guardrails.map(({ outcome }) => outcome)] : []

function roleOf(
  plan: AnalysisPlan | null,
  outcome: string,
): Pick<OutcomeColumn, 'role' | 'direction'> {
  if (outcome === plan?.primary_outcome) return { role: 'primary', direction: plan.direction }
  const guardrail = plan?.guardrails.find((one) => one.outcome === outcome)
  if (guardrail) return { role: 'guardrail', direction: guardrail.direction }
  return { role: 'exploratory', direction: null }
}

/** A planned outcome that no session has. */
function missing(outcome: string): Outcome {
  const definition = 'No session has it'
  const source = 'the analysis plan'
  return { outcome, label: outcome, unit: 'unknown', definition, source, compute: () => null }
}
