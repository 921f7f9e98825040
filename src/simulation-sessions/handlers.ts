import { recordAuditEvents } from '../audit-events/record.js'
import { writeOrTry } from '../channel-templates/dry-run.js'
import type { Handler } from '../contract.js'
import { jsonb } from '../database/expressions.js'
import { afterPosition, linkToNext, readCursor } from '../database/lists/pages.js'
import { notConcluded, sessionNotDraft } from '../errors.js'
import { awaitsResults } from '../experiments/session-queries.js'
import { requireMatch } from '../formats/entity-tags.js'
import { createId } from '../formats/identifiers.js'
import { inUtc } from '../formats/timestamps.js'
import { callerOf, requireOrganization, scopeOf } from '../identity/caller.js'
import { leads } from '../identity/roles.js'
import { checkClear } from '../updates.js'
import { requireCountWithinLimit, requireWithinLimit } from '../usage/require-limits.js'
import { changeSession } from './changes/change-session.js'
import { end, pause, resume, retry } from './changes/transitions.js'
import { applyUpdate, changesWithSpeed, requireChangeable, updateEvents } from './changes/update.js'
import { findSession, lockSession } from './find-session.js'
import { hasEnded, hasStarted, isWaiting, requireTransition } from './lifecycle.js'
import { filtersOf } from './list/filters.js'
import { selectSessions } from './list/queries.js'
import * as queries from './queries.js'
import { removeSeats } from './seats.js'
import { answerWith, sessionTag, withoutTrainerFields } from './session-answer.js'
import { sessionEvent } from './session-events.js'
import { requireNoLongPastStart } from './start/planned-start.js'
import { requireScenario, scenarioNow } from './start/scenario.js'
import { start } from './start/start.js'
import { readinessOf } from './start/try-start.js'
import { requireCastWithinLimit } from './team/cast-queries.js'
import { insertPlaces, selectPlaces } from './team/participant-queries.js'
import { requireRaters, requireTeam } from './team/team.js'

export const createSession: Handler<'createSession'> = async (request, reply) => {
  const { db } = request
  const { catalogue } = request.server
  const { participants = [], rater_ids = [], metadata = {}, ...body } = request.body
  const { user_id: created_by, ...caller } = callerOf(request)
  const organization_id = body.organization_id || caller.organization_id
  await requireOrganization(request, organization_id)
  const starts_at = body.starts_at ? inUtc(body.starts_at) : null
  requireNoLongPastStart(starts_at)

  return db.transaction().execute(async (trx) => {
    const { scenario_name } = body
    const scenario = { organization_id, scenario_name }
    await requireScenario(trx, catalogue, scenario)
    const { participant_roles } = await scenarioNow(trx, catalogue, scenario)
    await requireTeam(trx, { ...scenario, participant_roles }, participants, rater_ids)
    const { defaults } = request.server.usage
    await requireWithinLimit(trx, defaults, organization_id, 'sessions')
    await requireWithinLimit(
      trx,
      defaults,
      organization_id,
      'sessions_scheduled',
      starts_at ? 1 : 0,
    )
    const team = { used: 0, adding: participants.length }
    await requireCountWithinLimit(trx, defaults, organization_id, 'session_participants', team)
    await requireCastWithinLimit(trx, defaults, scenario)
    const session = await queries.insertSession(trx, {
      ...scenario,
      _id: createId(),
      name: body.name,
      timing: body.timing,
      speed: body.speed,
      mode: body.mode,
      status: starts_at ? 'scheduled' : 'draft',
      starts_at,
      next_due_at: starts_at,
      ends_after_minutes: body.ends_after_minutes ?? null,
      rater_ids: [...new Set(rater_ids)],
      metadata: jsonb(metadata),
      created_by,
    })
    await insertPlaces(trx, { organization_id, session_id: session._id }, participants)
    const about = { name: session.name, scenario_name, starts_at }
    const named = participants.map(({ user_id, role_key }) => ({ user_id, role_key }))
    await recordAuditEvents(trx, request, [
      sessionEvent(session, 'session_created', { metadata: { ...about, participants: named } }),
    ])
    return answerWith(reply, trx, session, session.created_at)
  })
}

export const listSessions: Handler<'listSessions'> = async (request, reply) => {
  const { organization_id, limit } = request.query
  const scope = organization_id ? { organization_id } : scopeOf(request)
  const reader = { scope, isLeading: leads(callerOf(request).role) }
  const filters = { ...filtersOf(request), ...afterPosition(readCursor(request)) }
  const { db } = request
  const { rows, last } = await selectSessions(db, reader, filters, limit)
  if (last) reply.header('link', linkToNext(request.originalUrl, last))
  return rows
}

export const getSession: Handler<'getSession'> = async (request, reply) => {
  const { session, part } = await findSession(request)
  const answer = await answerWith(reply, request.db, session, session.now)
  return part.kind === 'trainer' ? answer : withoutTrainerFields(answer)
}

export const getSessionReadiness: Handler<'getSessionReadiness'> = async (request) => {
  const { session } = await findSession(request)
  return writeOrTry(request.db, true, (trx) => readinessOf(trx, request.server, session))
}

export const updateSession: Handler<'updateSession'> = async (request, reply) => {
  const { body } = request
  checkClear(body)
  return request.db.transaction().execute(async (trx) => {
    const { session } = await lockSession(trx, request, 'for a moment')
    if (body.rater_ids) await requireRaters(trx, session, body.rater_ids)
    const wanted = applyUpdate(session, body)
    requireNoLongPastStart(wanted.starts_at, session.starts_at)
    requireMatch(request, sessionTag(session))
    requireChangeable(session, wanted)
    const events = updateEvents(session, wanted)
    if (events.length === 0) return answerWith(reply, trx, session, session.now)
    const adding = Number(wanted.status === 'scheduled' && session.status === 'draft')
    const { defaults } = request.server.usage
    await requireWithinLimit(trx, defaults, session.organization_id, 'sessions_scheduled', adding)
    const { metadata, ...fields } = wanted
    const after = await queries.updateSession(trx, session, {
      ...fields,
      metadata: jsonb(metadata),
      ...(isWaiting(session) && { next_due_at: wanted.starts_at, failures: 0 }),
      ...changesWithSpeed(session, wanted.speed),
    })
    await recordAuditEvents(trx, request, events)
    return answerWith(reply, trx, after, session.now)
  })
}

export const deleteSession: Handler<'deleteSession'> = async (request) => {
  await request.db.transaction().execute(async (trx) => {
    const { session } = await lockSession(trx, request, 'for a moment')
    requireMatch(request, sessionTag(session))
    const { organization_id, _id: session_id, status } = session
    if (status !== 'draft' && !hasEnded(status)) throw sessionNotDraft(status)
    const { experiment_id } = session
    if (experiment_id && (await awaitsResults(trx, { organization_id, experiment_id }))) {
      throw notConcluded()
    }
    const places = await selectPlaces(trx, { organization_id, session_id })
    // Deletes everything in the session too.
    await queries.deleteSession(trx, session)
    await removeSeats(trx, organization_id, places)
    const { name, scenario_name, metadata } = session
    const about = { metadata: { name, scenario_name, status, metadata } }
    await recordAuditEvents(trx, request, [sessionEvent(session, 'session_deleted', about)])
  })
}

export const startSession: Handler<'startSession'> = async (request, reply) =>
  changeSession(request, reply, async (trx, session) => {
    requireTransition(session, 'running', ['draft', 'scheduled'])
    await start(trx, request.server, request, session, { reason: request.body?.reason })
  })

export const pauseSession: Handler<'pauseSession'> = async (request, reply) =>
  changeSession(request, reply, async (trx, session) => {
    requireTransition(session, 'paused')
    await pause(trx, request, session, request.body?.reason)
  })

export const resumeSession: Handler<'resumeSession'> = async (request, reply) =>
  changeSession(request, reply, async (trx, session) => {
    requireTransition(session, 'running', ['paused'])
    await resume(trx, request, session, request.body?.reason)
  })

export const retrySession: Handler<'retrySession'> = async (request, reply) =>
  changeSession(request, reply, async (trx, session) => {
    requireTransition(session, 'running', ['failed'])
    await retry(trx, request.server, request, session, request.body?.reason)
  })

export const endSession: Handler<'endSession'> = async (request, reply) =>
  changeSession(request, reply, async (trx, session) => {
    const { status: wanted, reason } = request.body ?? {}
    const status = wanted ?? (hasStarted(session) ? 'completed' : 'cancelled')
    requireTransition(session, status)
    await end(trx, request, session, { status, reason })
  })
