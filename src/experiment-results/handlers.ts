import { isDeepStrictEqual } from 'node:util'
import { changesBetween, recordAuditEvents } from '../audit-events/record.js'
import { Attachment, type Handler, type Schema } from '../contract.js'
import type { Trx } from '../database/schema.js'
import type { FrozenConclusion } from '../database/tables/simulation.js'
import {
  alreadyConcluded,
  busy,
  notConcluded,
  planLocked,
  resultsFrozen,
  unavailable,
} from '../errors.js'
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
import { analyse, blindedResults, frozenResults, progressOf } from './results.js'
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
  if (conclusion) return frozenResults(conclusion)
  if (await isBlinded(request, db, experiment)) return blindedResults(experiment)
  return progressOf(db, request.server.catalogue, experiment, analysis_plan)
}

export const concludeExperiment: Handler<'concludeExperiment'> = async (request) => {
  // An organization concludes one experiment at a time. Later requests for the same experiment then
  // find its results frozen, and analyse nothing.
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
  const { analysis_plan: plan, conclusion: before, has_run } = await selectAnalysis(db, experiment)
  requireOpen(before, request.body)
  if (!before) requireRun({ status: experiment.status, has_run })
  // The analysis holds no connection. The experiment is locked only afterwards.
  const analysed = before ?? (await analyse({ db, pause, signal }, experiment, plan))
  return db.transaction().execute(async (trx) => {
    const { experiment: now, has_run } = await lockExperiment(trx, request)
    const { conclusion: found } = await selectAnalysis(trx, now)
    requireOpen(found, request.body)
    if (found) return decide(trx, request, now, found)
    requireRun({ status: now.status, has_run })
    if (now.updated_at !== experiment.updated_at) throw busy()
    return freeze(trx, request, { experiment: now, has_run }, analysed)
  })
}

/** Throws 409 if the experiment is concluded, or if its results are frozen and no decision follows. */
function requireOpen(frozen: FrozenConclusion | null, { decision }: ConcludeRequest['body']): void {
  if (frozen?.results.conclusion) throw alreadyConcluded()
  if (frozen && !decision) throw resultsFrozen()
}

type ConcludeRequest = Parameters<Handler<'concludeExperiment'>>[0]

/** The decision of a request. Null if the request only freezes the results. */
function conclusionIn(
  request: ConcludeRequest,
  concluded_at: string,
): Schema<'ConcludedExperiment'> | null {
  const { decision, rationale } = request.body
  // The contract allows both fields or none.
  if (!decision || !rationale) return null
  return { decision, rationale, concluded_at, concluded_by: callerOf(request).user_id }
}

async function freeze(
  trx: Trx,
  request: ConcludeRequest,
  { experiment, has_run }: { experiment: StoredExperiment; has_run: boolean },
  analysed: FrozenConclusion,
): Promise<Schema<'ExperimentResults'>> {
  const frozen_at = new Date().toISOString()
  const frozen_by = callerOf(request).user_id
  const conclusion = conclusionIn(request, frozen_at)
  const results = { ...frozenResults(analysed), frozen_at, frozen_by, conclusion }
  await updateConclusion(trx, experiment, { ...analysed, results })
  const events = [conclusionEvent(experiment, results)]
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

/** Adds the decision to results that are frozen. */
async function decide(
  trx: Trx,
  request: ConcludeRequest,
  experiment: StoredExperiment,
  frozen: FrozenConclusion,
): Promise<Schema<'ExperimentResults'>> {
  const conclusion = conclusionIn(request, new Date().toISOString())
  const results = { ...frozenResults(frozen), conclusion }
  await updateConclusion(trx, experiment, { ...frozen, results })
  await recordAuditEvents(trx, request, [conclusionEvent(experiment, results)])
  return results
}

function conclusionEvent(
  experiment: StoredExperiment,
  { conclusion, outcomes }: Schema<'ExperimentResults'>,
) {
  const primary = outcomes?.find(({ role }) => role === 'primary')
  const about = { primary_outcome: primary?.outcome ?? null, p: primary?.p ?? null }
  if (!conclusion) return experimentEvent(experiment, 'experiment_results_frozen', undefined, about)
  const { decision } = conclusion
  return experimentEvent(experiment, 'experiment_concluded', undefined, { decision, ...about })
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
