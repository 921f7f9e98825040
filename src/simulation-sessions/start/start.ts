import type { FastifyInstance, FastifyRequest } from 'fastify'
import { recordAuditEvents } from '../../audit-events/record.js'
import { jsonb } from '../../database/expressions.js'
import type { Trx } from '../../database/schema.js'
import { nothingPrepared } from '../../errors.js'
import { selectExperimentsWithSession } from '../../experiments/session-queries.js'
import { requireRoom } from '../../usage/room.js'
import { nextOf } from '../clock.js'
import { noFailure } from '../lifecycle.js'
import { endOf, warningsAtStart } from '../plan/end.js'
import { prepare } from '../plan/prepare.js'
import { insertPlan } from '../plan/queries.js'
import { type LockedSession, updateSession } from '../queries.js'
import { sessionEvent } from '../session-events.js'
import { scenarioNow } from './scenario.js'

export type StartDependencies = Pick<FastifyInstance, 'catalogue' | 'scenarioLabel' | 'slices'>

interface StartOptions {
  /** Set when the session starts at its `starts_at`, and not by a request. */
  actor_type?: 'system'
  reason?: string | null
}

/**
 * Starts a session: freezes its plan and its scenario and sets its clock to zero. Lines that lie before
 * the start are due at once. The caller checks the status before. Throws 409 if nothing is prepared.
 */
export async function start(
  trx: Trx,
  dependencies: StartDependencies,
  request: Pick<FastifyRequest, 'id' | 'caller'>,
  session: LockedSession,
  { actor_type, reason }: StartOptions = {},
): Promise<void> {
  const { organization_id, _id, now } = session
  await requireRoom(trx, organization_id, 'sessions_running')
  const prepared = await planStart(trx, dependencies, session)
  const { experiment_id, arm, conversations, cast, entries, end_offset_ms, warnings } = prepared
  if (session.mode === 'scripted' && entries.length === 0) throw nothingPrepared()
  const scenario = await scenarioNow(trx, dependencies.catalogue, session)

  const pause = dependencies.slices.pauseOf(organization_id, { inTransaction: true })
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

/** Plans a session as if it started now. Throws 409 if the plan is too long. */
export async function planStart(trx: Trx, dependencies: StartDependencies, session: LockedSession) {
  const { organization_id, _id } = session
  const experiments = await selectExperimentsWithSession(trx, organization_id, _id)
  const { _id: experiment_id = null, arm = null } = experiments[0] ?? {}
  const pause = dependencies.slices.pauseOf(organization_id, { inTransaction: true })
  const prepared = await prepare(trx, dependencies, session, arm ?? 'control', pause)
  const { entries } = prepared
  const end_offset_ms = endOf(session, entries)
  const startWarnings = warningsAtStart({ entries, end_offset_ms }, experiments)
  const warnings = [...prepared.warnings, ...startWarnings]
  return { ...prepared, experiment_id, arm, end_offset_ms, warnings }
}
