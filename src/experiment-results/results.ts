import type { Catalogue } from '../blueprints/catalogue/entries.js'
import type { Schema } from '../contract.js'
import type { Db } from '../database/schema.js'
import type { ExperimentData, FrozenConclusion } from '../database/tables/simulation.js'
import { sessionsUnfinished } from '../errors.js'
import type { StoredExperiment } from '../experiments/design.js'
import { significance } from '../experiments/readiness/smallest-p.js'
import { type AnalysisPlan, knownOutcomes } from './analysis-plan.js'
import { compareInWorker } from './comparison/analysis.js'
import type { Comparison } from './comparison/comparison.js'
import { type MeasureContext, measure } from './measure.js'
import { commonOutcomes } from './outcomes/common-outcomes.js'
import { primaryWarnings, unitsOf } from './primary-warnings.js'
import { type AssignedSession, selectAssignedSessions } from './queries.js'
import { armsProgress, countedSessions, possibleSessions, unfinishedOf } from './session-states.js'
import { deviationsOf, sessionWarnings } from './session-warnings.js'

type Results = Schema<'ExperimentResults'>

/** How many scenarios the progress names outcomes of. */
const maxScenarios = 20

/** The progress of the sessions, with the outcomes that a plan can name and no result. */
export async function progressOf(
  db: Db,
  catalogue: Catalogue,
  experiment: StoredExperiment,
  plan: AnalysisPlan | null,
): Promise<Results> {
  const sessions = await selectAssignedSessions(db, experiment, possibleSessions(experiment))
  const scenarios = new Set(sessions.map(({ scenario_name }) => scenario_name))
  const played = [...scenarios].slice(0, maxScenarios)
  const known = (await knownOutcomes(db, catalogue, experiment, played)) ?? commonOutcomes
  const known_outcomes = known.map(({ outcome, label }) => ({ outcome, label }))
  return { ...withoutOutcomes(experiment, sessions, plan), known_outcomes }
}

/** The results for a caller from whom the arms are hidden. Even the progress would show the arms. */
export const blindedResults = ({ _id: experiment_id }: StoredExperiment): Results => ({
  experiment_id,
  plan: null,
  sessions: null,
  known_outcomes: null,
  frozen_at: null,
  frozen_by: null,
  conclusion: null,
  outcomes: null,
  agreement: null,
  deviations: [],
  warnings: [],
})

/** The results as they were frozen. Earlier versions froze them with the conclusion. */
export function frozenResults({ results }: FrozenConclusion): Results {
  const { concluded_at = null, concluded_by = null } = results.conclusion ?? {}
  const earlier = { known_outcomes: null, frozen_at: concluded_at, frozen_by: concluded_by }
  return { ...earlier, ...results }
}

function withoutOutcomes(
  experiment: StoredExperiment,
  sessions: AssignedSession[],
  plan: AnalysisPlan | null,
): Results {
  return {
    experiment_id: experiment._id,
    plan,
    sessions: armsProgress(experiment, sessions),
    known_outcomes: null,
    frozen_at: null,
    frozen_by: null,
    conclusion: null,
    outcomes: null,
    agreement: null,
    deviations: deviationsOf(experiment, sessions),
    warnings: [...(plan ? [] : [unplanned]), ...sessionWarnings(experiment, sessions)],
  }
}

const unplanned = {
  field: 'analysis_plan',
  value: null,
  message: 'No plan was registered: all results are exploratory',
}

/** Analyses the sessions. Throws 409 with those that have not ended. */
export async function analyse(
  context: MeasureContext & { signal: AbortSignal },
  experiment: StoredExperiment,
  plan: AnalysisPlan | null,
): Promise<FrozenConclusion> {
  const sessions = await selectAssignedSessions(
    context.db,
    experiment,
    possibleSessions(experiment),
  )
  const unfinished = unfinishedOf(experiment, sessions)
  if (unfinished.length > 0) throw sessionsUnfinished(unfinished.slice(0, 1000))
  const counted = countedSessions(experiment, sessions)
  const { data, agreement } = await measure(context, experiment.organization_id, counted, plan)
  const options = {
    alpha: plan?.alpha ?? significance,
    seed: experiment.assignment?.seed ?? experiment._id,
  }
  const outcomes = await compare(data, options, context.signal)
  const progress = withoutOutcomes(experiment, sessions, plan)
  const warnings = [...progress.warnings, ...primaryWarnings(outcomes, data, plan)]
  return { results: { ...progress, outcomes, agreement, warnings }, data }
}

async function compare(
  { sessions, outcomes }: ExperimentData,
  options: { alpha: number; seed: string },
  signal: AbortSignal,
): Promise<Schema<'OutcomeResult'>[]> {
  const samples = outcomes.map(({ outcome, values }) => {
    return { outcome, units: unitsOf(sessions, values) }
  })
  const comparisons = await compareInWorker(samples, options, signal)
  return outcomes.flatMap(({ outcome, label, role, direction }, i) => {
    const comparison = comparisons[i]
    return comparison ? [{ outcome, label, role, direction, ...resultOf(comparison) }] : []
  })
}

function resultOf({ interval, ...comparison }: Comparison) {
  return { ...comparison, interval: interval && { low: interval[0], high: interval[1] } }
}
