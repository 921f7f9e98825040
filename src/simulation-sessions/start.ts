import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Transaction } from 'kysely'
import { recordAuditEvents } from '../audit-events/record.js'
import { jsonb } from '../database/expressions.js'
import type { Database } from '../database/schema.js'
import { nothingPrepared } from '../errors.js'
import { selectExperimentsWithSession } from '../experiments/session-queries.js'
import { requireRoom } from '../usage/room.js'
import { nextOf } from './clock.js'
import { noFailure } from './lifecycle.js'
import { endOf, warningsIn } from './plan-end.js'
import { insertPlan } from './plan-queries.js'
import { prepare } from './prepare.js'
import { type LockedSession, updateSession } from './queries.js'
import { scenarioNow } from './scenario.js'
import { sessionEvent } from './session-events.js'

type Trx = Transaction<Database>
export type Stage = Pick<FastifyInstance, 'catalogue' | 'scenarioLabel' | 'slices'>

interface Start {
  /** By whose time it starts; null when somebody starts it. */
  actor_type?: 'system'
  reason?: string | null
}

/**
 * Starts a session: freezes its plan and its scenario and sets its clock to zero, at which all that is
 * history is due. The caller has seen that its status allows it. Throws 409 where nothing is prepared.
 */
export async function start(
  trx: Trx,
  stage: Stage,
  request: Pick<FastifyRequest, 'id' | 'caller'>,
  session: LockedSession,
  { actor_type, reason }: Start = {},
): Promise<void> {
  const { organization_id, _id, now } = session
  await requireRoom(trx, organization_id, 'sessions_running')
  const prepared = await planStart(trx, stage, session)
  const { experiment_id, arm, conversations, cast, entries, end_offset_ms, warnings } = prepared
  if (session.mode === 'scripted' && entries.length === 0) throw nothingPrepared()
  const scenario = await scenarioNow(trx, stage.catalogue, session)

  const pause = stage.slices.pauseOf(organization_id, { inTransaction: true })
  await insertPlan(trx, { organization_id, session_id: _id }, entries, pause)
  const clock = { anchor_at: now, speed: session.speed, end_offset_ms }
  await updateSession(trx, session, {
    status: 'running',
    started_at: now,
    experiment_id,
    arm,
    scenario: jsonb(scenario),
    cast_ids: cast.map((one) => one._id),
    conversations: jsonb(conversations),
    warnings: jsonb(warnings),
    planned: entries.length,
    end_offset_ms,
    anchor_at: now,
    ...nextOf(clock, entries[0]?.offset_ms ?? null),
    ...noFailure,
  })
  const about = { arm, experiment_id, planned: entries.length, ...(reason && { reason }) }
  const details = { ...(actor_type && { actor_type }), metadata: about }
  await recordAuditEvents(trx, request, [sessionEvent(session, 'session_started', details)])
}

/** What a session that starts now plays. Throws 409 where its plan is too long. */
export async function planStart(trx: Trx, stage: Stage, session: LockedSession) {
  const { organization_id, _id } = session
  const experiments = await selectExperimentsWithSession(trx, organization_id, _id)
  const { _id: experiment_id = null, arm = null } = experiments[0] ?? {}
  const pause = stage.slices.pauseOf(organization_id, { inTransaction: true })
  const prepared = await prepare(trx, stage, session, arm ?? 'control', pause)
  const { entries } = prepared
  const end_offset_ms = endOf(session, entries)
  const doubtful = warningsIn({ entries, end_offset_ms }, experiments)
  const warnings = [...prepared.warnings, ...doubtful]
  return { ...prepared, experiment_id, arm, end_offset_ms, warnings }
}
