import type { Kysely } from 'kysely'
import type { Schema } from '../contract.js'
import type { Database } from '../database/schema.js'
import type { ExperimentData, FrozenConclusion } from '../database/simulation-tables.js'
import { sessionsUnfinished } from '../errors.js'
import type { StoredExperiment } from '../experiments/design.js'
import { significance } from '../experiments/smallest-p.js'
import { compareInWorker } from './analysis.js'
import type { Comparison } from './comparison.js'
import { measure, type Work } from './data.js'
import { primaryWarnings, unitsOf } from './primary-warnings.js'
import { type Standing, selectStandings } from './queries.js'
import { armsProgress, countedSessions, possibleSessions, unfinishedOf } from './standing.js'
import { deviationsOf, standingWarnings } from './standing-warnings.js'

type Results = Schema<'ExperimentResults'>
type Plan = Schema<'AnalysisPlan'> | null

/** How far the sessions have got, and nothing of what they came to. */
export async function progressOf(
  db: Kysely<Database>,
  experiment: StoredExperiment,
  plan: Plan,
): Promise<Results> {
  const standings = await selectStandings(db, experiment, possibleSessions(experiment))
  return withoutOutcomes(experiment, standings, plan)
}

/** Before the conclusion for those who must not know the arms: who has got how far would tell them. */
export const blindedResults = ({ _id: experiment_id }: StoredExperiment): Results => ({
  ...{ experiment_id, plan: null, sessions: null, conclusion: null },
  ...{ outcomes: null, agreement: null, deviations: [], warnings: [] },
})

function withoutOutcomes(experiment: StoredExperiment, standings: Standing[], plan: Plan): Results {
  return {
    experiment_id: experiment._id,
    plan,
    sessions: armsProgress(experiment, standings),
    conclusion: null,
    outcomes: null,
    agreement: null,
    deviations: deviationsOf(experiment, standings),
    warnings: [...(plan ? [] : [unplanned]), ...standingWarnings(experiment, standings)],
  }
}

const unplanned = {
  field: 'analysis_plan',
  value: null,
  message: 'No plan was registered: whatever is found is exploratory',
}

/** The results of sessions that have all ended. Throws 409 with those that have not. */
export async function analyse(
  work: Work & { signal: AbortSignal },
  experiment: StoredExperiment,
  plan: Plan,
): Promise<FrozenConclusion> {
  const standings = await selectStandings(work.db, experiment, possibleSessions(experiment))
  const unfinished = unfinishedOf(experiment, standings)
  if (unfinished.length > 0) throw sessionsUnfinished(unfinished.slice(0, 1000))
  const counted = countedSessions(experiment, standings)
  const { data, agreement } = await measure(work, experiment.organization_id, counted, plan)
  const options = {
    alpha: plan?.alpha ?? significance,
    seed: experiment.assignment?.seed ?? experiment._id,
  }
  const outcomes = await compare(data, options, work.signal)
  const progress = withoutOutcomes(experiment, standings, plan)
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
