import type { FastifyInstance, FastifyRequest } from 'fastify'
import { recordAuditEvents } from '../../audit-events/record.js'
import { jsonb } from '../../database/expressions.js'
import type { Trx } from '../../database/schema.js'
import type { FrozenScenario } from '../../database/tables/frozen-scenario.js'
import { nothingPrepared } from '../../errors.js'
import {
  type Experiments,
  selectExperimentsWithSession,
} from '../../experiments/session-queries.js'
import { countSessionBytes } from '../../usage/counters/count-queries.js'
import { requireCountWithinLimit, requireWithinLimit } from '../../usage/require-limits.js'
import { nextOf } from '../clock/clock.js'
import { noFailure } from '../lifecycle.js'
import type { PlanEntry } from '../plan/compile-plan.js'
import { endOf, warningsAtStart, warningsOfDeciders } from '../plan/end.js'
import { prepare } from '../plan/prepare.js'
import { insertPlan } from '../plan/queries.js'
import { type LockedSession, updateSession } from '../queries.js'
import { sessionEvent } from '../session-events.js'
import { bytesOf, jsonBytes } from '../stored-bytes.js'
import { selectPlaces } from '../team/participant-queries.js'
import { scenarioNow } from './scenario.js'

export type StartDependencies = Pick<
  FastifyInstance,
  'catalogue' | 'scenarioLabel' | 'slices' | 'usage'
>

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
  await requireWithinLimit(trx, dependencies.usage.defaults, organization_id, 'sessions_running')
  const experiments = await selectExperimentsWithSession(trx, organization_id, _id)
  const prepared = await planStart(trx, dependencies, session, experiments)
  const { experiment_id, arm, conversations, cast, entries, end_offset_ms, warnings } = prepared
  const { plan_bytes } = prepared
  if (session.mode === 'scripted' && entries.length === 0) throw nothingPrepared()
  const scenario = withDecisions(await scenarioNow(trx, dependencies.catalogue, session), entries)

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
    plan_bytes,
    stored_bytes: session.stored_bytes + jsonBytes([scenario, conversations, warnings]),
    end_offset_ms,
    anchor_at: now,
    latest_at: now,
    ...nextOf(clock, entries[0]?.offset_ms ?? null),
    ...noFailure,
  })
  const about = { arm, experiment_id, planned: entries.length, ...(reason && { reason }) }
  const details = { ...(actor_type && { actor_type }), metadata: about }
  await recordAuditEvents(trx, request, [sessionEvent(session, 'session_started', details)])
}

/** The scenario with the decisions as the plan asks for them: people may have changed its templates. */
function withDecisions(scenario: FrozenScenario, entries: PlanEntry[]): FrozenScenario {
  const described = new Map(scenario.decision_points.map((one) => [one.beat, one]))
  for (const { expectation, fallback_option } of entries) {
    const { decision, deadline_minutes = 0 } = expectation ?? {}
    if (!decision || fallback_option === null) continue
    const { beat } = decision
    const said = entries.find(({ lapses }) => lapses === beat)?.content ?? ''
    const fallback = described.get(beat)?.fallback ?? said
    described.set(beat, { ...decision, deadline_minutes, fallback_option, fallback })
  }
  return { ...scenario, decision_points: [...described.values()] }
}

/** Plans a session as if it started now. Throws 409 if the plan is too long or there is no room. */
export async function planStart(
  trx: Trx,
  dependencies: StartDependencies,
  session: LockedSession,
  experiments: Experiments,
) {
  const { organization_id, _id } = session
  const { _id: experiment_id = null, arm = null } = experiments[0] ?? {}
  const pause = dependencies.slices.pauseOf(organization_id, { inTransaction: true })
  const prepared = await prepare(trx, dependencies, session, arm ?? 'control', pause)
  const { entries } = prepared
  const plan_bytes = bytesOf(entries)
  await requireRoomFor(trx, dependencies, organization_id, plan_bytes)
  const end_offset_ms = endOf(session, entries)
  const startWarnings = warningsAtStart({ entries, end_offset_ms }, experiments)
  const team = await selectPlaces(trx, { organization_id, session_id: _id })
  const warnings = [...prepared.warnings, ...startWarnings, ...warningsOfDeciders(entries, team)]
  return { ...prepared, experiment_id, arm, plan_bytes, end_offset_ms, warnings }
}

/** Throws 409 if an organization has no room for a plan and its messages. */
async function requireRoomFor(
  trx: Trx,
  { usage }: StartDependencies,
  organization_id: string,
  plan_bytes: number,
) {
  const used = await countSessionBytes(trx, organization_id)
  const adding = 2 * plan_bytes
  await requireCountWithinLimit(trx, usage.defaults, organization_id, 'session_bytes', {
    used,
    adding,
  })
}
