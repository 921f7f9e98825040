import type { Kysely } from 'kysely'
import type { Schema } from '../contract.js'
import type { Database } from '../database/schema.js'
import type { ExperimentData } from '../database/simulation-tables.js'
import type { Pause } from '../turns/slices.js'
import type { Outcome } from './common-outcomes.js'
import { outcomesOf } from './outcomes.js'
import { agreementOn } from './ratings.js'
import type { CountedSession } from './standing.js'
import type { Rating } from './transcript.js'
import { readSessions } from './transcripts.js'

type Plan = Schema<'AnalysisPlan'> | null
type Column = ExperimentData['outcomes'][number]

/** What a request measures with. */
export interface Work {
  db: Kysely<Database>
  pause: Pause
}

export interface Measured {
  data: ExperimentData
  agreement: Schema<'RaterAgreement'>[]
}

/**
 * Every outcome of every session that counts: those of the plan first, then all others that at least
 * one session has.
 */
export async function measure(
  work: Work,
  organization_id: string,
  sessions: CountedSession[],
  plan: Plan,
): Promise<Measured> {
  const ids = sessions.map(({ session_id }) => session_id)
  const { found, ordinal, ratings } = await collect(work, organization_id, ids)
  const columnOf = (name: string) => {
    const { outcome, values } = found.get(name) ?? { outcome: nobodys(name), values: new Map() }
    const { compute, ...described } = outcome
    return { ...described, ...roleOf(plan, name), values: ids.map((id) => values.get(id) ?? null) }
  }
  const planned = namesIn(plan)
  const others = [...found.keys()].filter((name) => !planned.includes(name)).map(columnOf)
  const outcomes = [...planned.map(columnOf), ...others.filter(hasValue)]
  const agreement = ordinal.map((criterion) => agreementOn(criterion, ratings))
  return { data: { sessions, outcomes }, agreement: agreement.filter(({ raters }) => raters > 0) }
}

/** All outcomes that there are with their values, and all ratings, of one session after the other. */
async function collect({ db, pause }: Work, organization_id: string, ids: string[]) {
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

const hasValue = ({ values }: Column) => values.some((value) => value !== null)

const namesIn = (plan: Plan) =>
  plan ? [plan.primary_outcome, ...plan.guardrails.map(({ outcome }) => outcome)] : []

function roleOf(plan: Plan, outcome: string): Pick<Column, 'role' | 'direction'> {
  if (outcome === plan?.primary_outcome) return { role: 'primary', direction: plan.direction }
  const guardrail = plan?.guardrails.find((one) => one.outcome === outcome)
  if (guardrail) return { role: 'guardrail', direction: guardrail.direction }
  return { role: 'exploratory', direction: null }
}

/** What was planned, and no session has. */
function nobodys(outcome: string): Outcome {
  const definition = 'No session has it'
  const source = 'the analysis plan'
  return { outcome, label: outcome, unit: 'unknown', definition, source, compute: () => null }
}
