import { changesBetween, recordAuditEvents } from '../audit-events/record.js'
import { writeOrTry } from '../channel-templates/dry-run.js'
import type { Handler } from '../contract.js'
import { containing, jsonb } from '../database/expressions.js'
import { afterPosition, linkToNext, readCursor } from '../database/pages.js'
import { requireMatch } from '../entity-tags.js'
import { sessionNotDraft } from '../errors.js'
import { createId } from '../identifiers.js'
import { callerOf, requireOrganization, scopeOf } from '../identity/caller.js'
import { inUtc } from '../timestamps.js'
import { requireRoom, requireWithin } from '../usage/room.js'
import { answerWith, sessionTag, withoutBackstage } from './answer.js'
import { changeSession } from './change-session.js'
import { findSession, leads, lockSession, rates } from './find-session.js'
import { hasStarted, isWaiting, requireTransition } from './lifecycle.js'
import { selectSessions } from './list-queries.js'
import { insertAssignments } from './participant-queries.js'
import * as queries from './queries.js'
import { requireScenario, scenarioNow } from './scenario.js'
import { sessionEvent } from './session-events.js'
import { start } from './start.js'
import { end, pause, resume, retry } from './steer.js'
import { requireRaters, requireTeam } from './team.js'
import { readinessOf } from './try-start.js'
import { applyUpdate, requireUnstarted } from './update.js'

export const createSession: Handler<'createSession'> = async (request, reply) => {
  const { db } = request
  const { catalogue } = request.server
  const { participants = [], rater_ids = [], metadata = {}, ...body } = request.body
  const { user_id: created_by, ...caller } = callerOf(request)
  const organization_id = body.organization_id || caller.organization_id
  await requireOrganization(request, organization_id)

  return db.transaction().execute(async (trx) => {
    const { scenario_name } = body
    const place = { organization_id, scenario_name }
    await requireScenario(trx, catalogue, place)
    const { participant_roles } = await scenarioNow(trx, catalogue, place)
    await request.pauseInTransaction()
    await requireTeam(trx, { ...place, participant_roles }, participants, rater_ids)
    const starts_at = body.starts_at ? inUtc(body.starts_at) : null
    await requireRoom(trx, organization_id, 'sessions')
    await requireRoom(trx, organization_id, 'sessions_scheduled', starts_at ? 1 : 0)
    const team = { used: 0, adding: participants.length }
    await requireWithin(trx, organization_id, 'session_participants', team)
    const session = await queries.insertSession(trx, {
      ...{ ...place, _id: createId(), name: body.name },
      ...{ timing: body.timing, speed: body.speed, mode: body.mode },
      status: starts_at ? 'scheduled' : 'draft',
      starts_at,
      next_due_at: starts_at,
      ends_after_minutes: body.ends_after_minutes ?? null,
      rater_ids: [...new Set(rater_ids)],
      metadata: jsonb(metadata),
      created_by,
    })
    await insertAssignments(trx, { organization_id, session_id: session._id }, participants)
    const about = { name: session.name, scenario_name, starts_at }
    const who = participants.map(({ user_id, role_key }) => ({ user_id, role_key }))
    await recordAuditEvents(trx, request, [
      sessionEvent(session, 'session_created', { metadata: { ...about, participants: who } }),
    ])
    return answerWith(reply, trx, session, session.created_at)
  })
}

export const listSessions: Handler<'listSessions'> = async (request, reply) => {
  const { organization_id, status = null, scenario_name, name, limit, cursor } = request.query
  const { role, user_id } = callerOf(request)
  const scope = organization_id ? { organization_id } : scopeOf(request)
  const filters = {
    status,
    scenario_name: scenario_name || null,
    pattern: name ? containing(name) : null,
    member_id: leads(role) ? null : user_id,
    rater_id: rates(role) ? user_id : null,
    bot_id: role === 'bot' ? user_id : null,
    ...afterPosition(readCursor(cursor)),
  }
  const db = await request.dbForReading(scope)
  const { rows, last } = await selectSessions(db, scope, filters, limit)
  if (last) reply.header('link', linkToNext(request.originalUrl, last))
  return rows
}

export const getSession: Handler<'getSession'> = async (request, reply) => {
  const { session, part } = await findSession(request)
  const answer = await answerWith(reply, request.db, session, session.now)
  return part.kind === 'trainer' ? answer : withoutBackstage(answer)
}

export const getSessionReadiness: Handler<'getSessionReadiness'> = async (request) => {
  const { session } = await findSession(request)
  return writeOrTry(request.db, true, (trx) => readinessOf(trx, request.server, session))
}

export const updateSession: Handler<'updateSession'> = async (request, reply) => {
  const { body } = request
  return request.db.transaction().execute(async (trx) => {
    const { session } = await lockSession(trx, request, 'for a moment')
    if (body.rater_ids) await requireRaters(trx, session, body.rater_ids)
    requireMatch(request, sessionTag(session))
    requireUnstarted(session, body)
    const wanted = applyUpdate(session, body)
    const { status, ...changes } = changesBetween(session, wanted)
    const events = [
      ...(Object.keys(changes).length > 0
        ? [sessionEvent(session, 'session_updated', { changes })]
        : []),
      ...(status ? [sessionEvent(session, 'session_scheduled', { changes: { status } })] : []),
    ]
    if (events.length === 0) return answerWith(reply, trx, session, session.now)
    await requireRoom(trx, session.organization_id, 'sessions_scheduled', status ? 1 : 0)
    const { metadata, ...fields } = wanted
    const after = await queries.updateSession(trx, session, {
      ...fields,
      metadata: jsonb(metadata),
      ...(isWaiting(session) && { next_due_at: wanted.starts_at, failures: 0 }),
    })
    await recordAuditEvents(trx, request, events)
    return answerWith(reply, trx, after, session.now)
  })
}

export const deleteSession: Handler<'deleteSession'> = async (request) => {
  await request.db.transaction().execute(async (trx) => {
    const { session } = await lockSession(trx, request, 'for a moment')
    requireMatch(request, sessionTag(session))
    if (session.status !== 'draft') throw sessionNotDraft(session.status)
    // The places of its participants go with it.
    await queries.deleteSession(trx, session)
    const { name, scenario_name, metadata } = session
    const about = { metadata: { name, scenario_name, metadata } }
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
