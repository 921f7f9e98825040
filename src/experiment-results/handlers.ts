import { isDeepStrictEqual } from 'node:util'
import type { Transaction } from 'kysely'
import { changesBetween, recordAuditEvents } from '../audit-events/record.js'
import { Attachment, type Handler, type Schema } from '../contract.js'
import type { Database } from '../database/schema.js'
import type { FrozenConclusion } from '../database/simulation-tables.js'
import { entityTagOf, requireMatch } from '../entity-tags.js'
import { alreadyConcluded, notConcluded, planLocked, unavailable } from '../errors.js'
import { isBlinded } from '../experiments/blinding.js'
import { selectAnalysis, updateConclusion, updatePlan } from '../experiments/conclusion-queries.js'
import type { StoredExperiment } from '../experiments/design.js'
import { findExperiment, lockExperiment } from '../experiments/find-experiment.js'
import { concludedStage, requirePlanOpen, requireRun } from '../experiments/lifecycle.js'
import { updateExperiment } from '../experiments/queries.js'
import { experimentEvent } from '../experiments/update.js'
import { callerOf } from '../identity/caller.js'
import { runBounded } from './bounded-turn.js'
import { fileOf } from './files.js'
import { checkKnown, knownOutcomes, readPlan } from './plan.js'
import { selectScenariosForShare } from './queries.js'
import { analyse, blindedResults, progressOf } from './results.js'
import { possibleSessions } from './standing.js'

export const registerAnalysisPlan: Handler<'registerAnalysisPlan'> = async (request) => {
  const { db } = request
  const { catalogue } = request.server
  const wanted = readPlan(request.body)
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
    await updatePlan(trx, experiment, plan)
    const changes = changesBetween<Planned>({ analysis_plan: before }, { analysis_plan: plan })
    const event = experimentEvent(experiment, 'analysis_plan_registered', changes)
    await recordAuditEvents(trx, request, [event])
    return plan
  })
}

interface Planned {
  analysis_plan: Schema<'AnalysisPlan'> | null
}

export const getExperimentResults: Handler<'getExperimentResults'> = async (request) => {
  const { db } = request
  const experiment = await findExperiment(request)
  const { analysis_plan, conclusion } = await selectAnalysis(db, experiment)
  if (conclusion) return conclusion.results
  if (await isBlinded(request, db, experiment)) return blindedResults(experiment)
  return progressOf(db, experiment, analysis_plan)
}

/** How many analyses one request begins. It begins a second one if the arms change during the first. */
const mostAttempts = 2

export const concludeExperiment: Handler<'concludeExperiment'> = async (request) => {
  const { organization_id } = (await findOpen(request)).experiment
  // One conclusion of an organization after the other: of several for the same experiment those that
  // come later find it concluded, and work nothing out.
  const { server, socket } = request
  return runBounded(server.analyses, { key: organization_id, socket }, (signal) =>
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
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    const { experiment, plan } = await findOpen(request)
    // This holds no connection: the experiment is locked only when it is done.
    const frozen = await analyse({ db, pause, signal }, experiment, plan)
    const results = await db.transaction().execute(async (trx) => {
      const { experiment: now, has_run } = await lockExperiment(trx, request)
      const { analysis_plan, conclusion } = await selectAnalysis(trx, now)
      requireOpen(now, { has_run, conclusion })
      const isSame = isDeepStrictEqual([analysed(now), analysis_plan], [analysed(experiment), plan])
      return isSame ? conclude(trx, request, { experiment: now, has_run }, frozen) : null
    })
    if (results) return results
  }
  throw unavailable()
}

/** The experiment to be concluded. Throws 409 when it cannot be, or is already. */
async function findOpen(request: ConcludeRequest) {
  const experiment = await findExperiment(request)
  requireMatch(request, entityTagOf(experiment))
  const { analysis_plan: plan, ...state } = await selectAnalysis(request.db, experiment)
  requireOpen(experiment, state)
  return { experiment, plan }
}

/** Throws 409 when it cannot be concluded, or is already. */
function requireOpen(
  { status }: StoredExperiment,
  { has_run, conclusion }: { has_run: boolean; conclusion: FrozenConclusion | null },
): void {
  if (conclusion) throw alreadyConcluded()
  requireRun({ status, has_run })
}

/** What of an experiment its results depend on. */
function analysed({ control_session_ids, intervention_session_ids, assignment }: StoredExperiment) {
  return { control_session_ids, intervention_session_ids, assignment }
}

type ConcludeRequest = Parameters<Handler<'concludeExperiment'>>[0]

async function conclude(
  trx: Transaction<Database>,
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
  const stage = concludedStage({ status, has_run })
  if (stage.status !== status) {
    const wanted = { ...experiment, status: stage.status }
    await updateExperiment(trx, wanted, stage.has_run)
    const changes = changesBetween(experiment, wanted)
    events.push(experimentEvent(experiment, 'experiment_status_changed', changes))
  }
  await recordAuditEvents(trx, request, events)
  return results
}

export const exportExperimentData: Handler<'exportExperimentData'> = async (request) => {
  const { format = 'csv', part = 'rows' } = request.query
  const { db } = request
  const experiment = await findExperiment(request)
  const { conclusion } = await selectAnalysis(db, experiment)
  if (!conclusion) throw notConcluded()
  const about = { format, part }
  const event = experimentEvent(experiment, 'experiment_data_exported', undefined, about)
  await db.transaction().execute((trx) => recordAuditEvents(trx, request, [event]))
  const { type, pieces } = fileOf(conclusion.data, part, format)
  return new Attachment(type, `experiment-${experiment._id}-${part}.${format}`, pieces)
}
