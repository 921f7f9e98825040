import { randomBytes } from 'node:crypto'
import { changesBetween, recordAuditEvents } from '../audit-events/record.js'
import type { Handler } from '../contract.js'
import { containing, jsonb } from '../database/expressions.js'
import { afterPosition, linkToNext, readCursor } from '../database/lists/pages.js'
import { entityTagOf, setEntityTag } from '../formats/entity-tags.js'
import { createId } from '../formats/identifiers.js'
import { callerOf, requireOrganization, scopeOf } from '../identity/caller.js'
import { checkClear } from '../updates.js'
import { requireWithinLimit } from '../usage/require-limits.js'
import { algorithm, assign, isRecordOf } from './assignment/assignment.js'
import {
  blindableReader,
  findForReader,
  withoutArmChecks,
  withoutArms,
  withoutHiddenArms,
} from './assignment/blinding.js'
import { readBlocks } from './assignment/blocks.js'
import { selectAnalysis } from './conclusion-queries.js'
import { checkDesign } from './design.js'
import { answerWith, lockExperiment } from './find-experiment.js'
import { nextState, requireDraft, requireNotRun } from './lifecycle.js'
import { selectExperiments } from './list-queries.js'
import * as queries from './queries.js'
import { compareDecisions } from './readiness/decisions.js'
import { findNamedSessions } from './readiness/named-sessions.js'
import { readinessOf } from './readiness/readiness.js'
import { applyUpdate, emptyDraft, experimentEvent, updateEvents } from './update.js'

export const createExperiment: Handler<'createExperiment'> = async (request, reply) => {
  const { body } = request
  const { user_id: created_by, ...caller } = callerOf(request)
  const organization_id = body.organization_id || caller.organization_id
  await requireOrganization(request, organization_id)
  const { assignment, ...draft } = applyUpdate(emptyDraft, body)
  checkDesign(draft, body)

  return request.db.transaction().execute(async (trx) => {
    await requireWithinLimit(trx, request.server.usage.defaults, organization_id, 'experiments')
    const values = { ...draft, organization_id, _id: createId(), created_by }
    const metadata = jsonb(draft.metadata)
    const experiment = await queries.insertExperiment(trx, { ...values, metadata })
    const changes = changesBetween({ ...experiment, ...emptyDraft }, experiment)
    const event = experimentEvent(experiment, 'experiment_created', changes)
    await recordAuditEvents(trx, request, [event])
    return answerWith(reply, trx, experiment)
  })
}

export const listExperiments: Handler<'listExperiments'> = async (request, reply) => {
  const { organization_id, status = null, name, limit } = request.query
  const scope = organization_id ? { organization_id } : scopeOf(request)
  const pattern = name ? containing(name) : null
  const reader_id = blindableReader(request)
  const filters = { status, pattern, ...afterPosition(readCursor(request)) }
  const { db } = request
  const { rows, text, last } = await selectExperiments(db, scope, filters, limit)
  if (last) reply.header('link', linkToNext(request.originalUrl, last))
  if (reader_id === null) return rows
  return withoutHiddenArms(db, callerOf(request).organization_id, reader_id, text)
}

export const getExperiment: Handler<'getExperiment'> = async (request, reply) => {
  const { experiment, isBlinded } = await findForReader(request)
  if (!isBlinded) return answerWith(reply, request.db, experiment)
  const open = withoutArms(experiment)
  setEntityTag(reply, entityTagOf(open))
  return { ...open, warnings: [] }
}

export const updateExperiment: Handler<'updateExperiment'> = async (request, reply) => {
  const { body } = request
  checkClear(body)
  return request.db.transaction().execute(async (trx) => {
    const { experiment: before, has_run } = await lockExperiment(trx, request)
    const wanted = applyUpdate(before, body)
    checkDesign(wanted, body)
    const state = nextState({ status: before.status, has_run }, wanted.status)

    const events = updateEvents(before, wanted)
    const after =
      events.length === 0 ? before : await queries.updateExperiment(trx, wanted, state.has_run)
    await recordAuditEvents(trx, request, events)
    return answerWith(reply, trx, after)
  })
}

export const deleteExperiment: Handler<'deleteExperiment'> = async (request) => {
  await request.db.transaction().execute(async (trx) => {
    const { experiment, has_run } = await lockExperiment(trx, request)
    const { status, name } = experiment
    requireDraft({ status, has_run })
    await queries.deleteExperiment(trx, experiment)
    const changes = changesBetween(experiment, { ...experiment, ...emptyDraft })
    const event = experimentEvent(experiment, 'experiment_deleted', changes, { name })
    await recordAuditEvents(trx, request, [event])
  })
}

export const getExperimentReadiness: Handler<'getExperimentReadiness'> = async (request) => {
  const { experiment, isBlinded } = await findForReader(request)
  const others = await queries.selectOthersRunning(request.db, experiment)
  const named = await findNamedSessions(request.db, experiment)
  const { organization_id } = experiment
  const decisions = await compareDecisions(request.db, organization_id, named.scenarios)
  const { analysis_plan } = await selectAnalysis(request.db, experiment)
  const readiness = readinessOf(experiment, others, named, decisions, analysis_plan)
  return isBlinded ? withoutArmChecks(readiness) : readiness
}

export const assignSessions: Handler<'assignSessions'> = async (request, reply) => {
  const { body } = request
  const blocks = readBlocks(body)
  // 128 random bits, so that no one can guess a seed.
  const seed = body.seed ?? randomBytes(16).toString('hex')
  return request.db.transaction().execute(async (trx) => {
    const { experiment: before, has_run } = await lockExperiment(trx, request)
    requireNotRun({ status: before.status, has_run })
    const drawn = { algorithm, seed, blocks }
    if (isRecordOf(before.assignment, drawn)) return answerWith(reply, trx, before)

    const assigned_at = new Date().toISOString()
    const assignment = { ...drawn, assigned_at, assigned_by: callerOf(request).user_id }
    const wanted = { ...before, ...assign(seed, blocks), assignment }
    const after = await queries.updateExperiment(trx, wanted, has_run)
    const changes = changesBetween(before, wanted)
    const event = experimentEvent(before, 'sessions_assigned', changes)
    await recordAuditEvents(trx, request, [event])
    return answerWith(reply, trx, after)
  })
}
