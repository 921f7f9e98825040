import { isDeepStrictEqual } from 'node:util'
import { changesBetween, recordAuditEvents } from '../audit-events/record.js'
import { Attachment, type Handler, type Schema } from '../contract.js'
import type { Trx } from '../database/schema.js'
import type { FrozenConclusion } from '../database/tables/simulation.js'
import { alreadyConcluded, busy, notConcluded, planLocked, unavailable } from '../errors.js'
import { isBlinded } from '../experiments/assignment/blinding.js'
import {
  selectAnalysis,
  updateAnalysisPlan,
  updateConclusion,
} from '../experiments/conclusion-queries.js'
import type { StoredExperiment } from '../experiments/design.js'
import { findExperiment, lockExperiment } from '../experiments/find-experiment.js'
import { concludedState, requirePlanOpen, requireRun } from '../experiments/lifecycle.js'
import { updateExperiment } from '../experiments/queries.js'
import { experimentEvent } from '../experiments/update.js'
import { withByteOrderMark } from '../formats/csv.js'
import { entityTagOf, requireMatch } from '../formats/entity-tags.js'
import { callerOf } from '../identity/caller.js'
import { type AnalysisPlan, checkKnown, knownOutcomes, readAnalysisPlan } from './analysis-plan.js'
import { runBounded } from './bounded-turn.js'
import { writeDataFile } from './data-files.js'
import { selectScenariosForShare } from './queries.js'
import { analyse, blindedResults, progressOf } from './results.js'
import { possibleSessions } from './session-states.js'

export const registerAnalysisPlan: Handler<'registerAnalysisPlan'> = async (request) => {
  const { db } = request
  const { catalogue } = request.server
  const wanted = readAnalysisPlan(request.body)
  return db.transaction().execute(async (trx) => {
    const { experiment, has_run } = await lockExperiment(trx, request)
    const { status } = experiment
    const ids = possibleSessions(experiment)
    const sessions = await selectScenariosForShare(trx, experiment, ids)
    const played = sessions.map(({ scenario_name }) => scenario_name)
    checkKnown(wanted, await knownOutcomes(trx, catalogue, experiment, played))
    requirePlanOpen({ status, has_run })
    if (sessions.some(({ started_at }) => started_at !== null)) throw planLocked(status)

    const { analysis_plan: before } = await selectAnalysis(trx, experiment)
    if (before && isDeepStrictEqual({ ...before, ...wanted }, before)) return before
    const registered_at = new Date().toISOString()
    const plan = { ...wanted, registered_at, registered_by: callerOf(request).user_id }
    await updateAnalysisPlan(trx, experiment, plan)
    const changes = changesBetween<WithPlan>({ analysis_plan: before }, { analysis_plan: plan })
    const event = experimentEvent(experiment, 'analysis_plan_registered', changes)
    await recordAuditEvents(trx, request, [event])
    return plan
  })
}

interface WithPlan {
  analysis_plan: AnalysisPlan | null
}

export const getExperimentResults: Handler<'getExperimentResults'> = async (request) => {
  const { db } = request
  const experiment = await findExperiment(request)
  const { analysis_plan, conclusion } = await selectAnalysis(db, experiment)
  if (conclusion) return conclusion.results
  if (await isBlinded(request, db, experiment)) return blindedResults(experiment)
  return progressOf(db, experiment, analysis_plan)
}

export const concludeExperiment: Handler<'concludeExperiment'> = async (request) => {
  // An organization concludes one experiment at a time. Later requests for the same experiment then
  // find it concluded, and analyse nothing.
  const { server, socket, turnKey: key } = request
  return runBounded(server.analyses, { key, socket }, (signal) =>
    analyseAndConclude(request, signal),
  )
}

async function analyseAndConclude(
  request: ConcludeRequest,
  signal: AbortSignal,
): Promise<Schema<'ExperimentResults'>> {
  const { db } = request
  const pause = () => {
    if (signal.aborted) throw unavailable()
    return request.pause()
  }
  const experiment = await findExperiment(request)
  requireMatch(request, entityTagOf(experiment))
  const { analysis_plan: plan, ...state } = await selectAnalysis(db, experiment)
  requireUnconcluded(experiment, state)
  // The analysis holds no connection. The experiment is locked only afterwards.
  const frozen = await analyse({ db, pause, signal }, experiment, plan)
  return db.transaction().execute(async (trx) => {
    const { experiment: now, has_run } = await lockExperiment(trx, request)
    const { conclusion } = await selectAnalysis(trx, now)
    requireUnconcluded(now, { has_run, conclusion })
    if (now.updated_at !== experiment.updated_at) throw busy()
    return conclude(trx, request, { experiment: now, has_run }, frozen)
  })
}

/** Throws 409 if the experiment cannot be concluded, or already is. */
function requireUnconcluded(
  { status }: StoredExperiment,
  { has_run, conclusion }: { has_run: boolean; conclusion: FrozenConclusion | null },
): void {
  if (conclusion) throw alreadyConcluded()
  requireRun({ status, has_run })
}

type ConcludeRequest = Parameters<Handler<'concludeExperiment'>>[0]

async function conclude(
  trx: Trx,
  request: ConcludeRequest,
  { experiment, has_run }: { experiment: StoredExperiment; has_run: boolean },
  { results: found, data }: FrozenConclusion,
): Promise<Schema<'ExperimentResults'>> {
  const { decision, rationale } = request.body
  const concluded_at = new Date().toISOString()
  const concluded_by = callerOf(request).user_id
  const results = { ...found, conclusion: { decision, rationale, concluded_at, concluded_by } }
  await updateConclusion(trx, experiment, { results, data })
  const primary = found.outcomes?.find(({ role }) => role === 'primary')
  const events = [
    experimentEvent(experiment, 'experiment_concluded', undefined, {
      decision,
      primary_outcome: primary?.outcome ?? null,
      p: primary?.p ?? null,
    }),
  ]
  const { status } = experiment
  const state = concludedState({ status, has_run })
  if (state.status !== status) {
    const wanted = { ...experiment, status: state.status }
    await updateExperiment(trx, wanted, state.has_run)
    const changes = changesBetween(experiment, wanted)
    events.push(experimentEvent(experiment, 'experiment_status_changed', changes))
  }
  await recordAuditEvents(trx, request, events)
  return results
}

export const exportExperimentData: Handler<'exportExperimentData'> = async (request) => {
  const { format = 'csv', part = 'rows', bom } = request.query
  const { db } = request
  const experiment = await findExperiment(request)
  const { conclusion } = await selectAnalysis(db, experiment)
  if (!conclusion) throw notConcluded()
  const metadata = { format, part }
  const event = experimentEvent(experiment, 'experiment_data_exported', undefined, metadata)
  await db.transaction().execute((trx) => recordAuditEvents(trx, request, [event]))
  const { type, pieces } = writeDataFile(conclusion.data, part, format)
  const content = withByteOrderMark(pieces, { format, bom })
  return new Attachment(type, `experiment-${experiment._id}-${part}.${format}`, content)
}
