import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Transaction } from 'kysely'
import { recordAuditEvents } from '../audit-events/record.js'
import { completeMessages } from '../channel-templates/messages.js'
import { selectActiveTemplates } from '../channel-templates/setup-queries.js'
import { jsonb } from '../database/expressions.js'
import type { Database } from '../database/schema.js'
import { selectExperimentsWithSession } from '../experiments/session-queries.js'
import { createId } from '../identifiers.js'
import { addressTeam } from './addressee.js'
import { selectCast } from './cast-queries.js'
import { nextOf } from './clock.js'
import { compilePlan } from './plan.js'
import { doubtsIn, endOf } from './plan-end.js'
import type { PlannedChannel, Play } from './plan-lines.js'
import { insertPlan } from './plan-queries.js'
import { type LockedSession, updateSession } from './queries.js'
import { scenarioNow } from './scenario.js'
import { sessionEvent } from './session-events.js'

type Trx = Transaction<Database>
type Stage = Pick<FastifyInstance, 'catalogue' | 'scenarioLabel'>

interface Start {
  /** By whose time it starts; null when somebody starts it. */
  actor_type?: 'system'
  reason?: string | null
}

/**
 * Starts a session: freezes its plan and its scenario and sets its clock to zero, at which all that is
 * history is due. The caller has seen that its status allows it.
 */
export async function start(
  trx: Trx,
  stage: Stage,
  request: Pick<FastifyRequest, 'id' | 'caller'>,
  session: LockedSession,
  { actor_type, reason }: Start = {},
): Promise<void> {
  const { organization_id, _id, scenario_name, now } = session
  const experiments = await selectExperimentsWithSession(trx, organization_id, _id)
  const { _id: experiment_id = null, arm = null } = experiments[0] ?? {}
  const play = { areToPlay: true }
  // Locked before the templates are read: whoever speaks there is not taken away in between.
  await selectCast(trx, organization_id, scenario_name, play)
  const channels = await channelsOf(trx, stage, session)
  const { entries, warnings } = planOf(session, channels, arm ?? 'control')
  const cast = await selectCast(trx, organization_id, scenario_name, play)
  const scenario = await scenarioNow(trx, stage.catalogue, session)
  const end_offset_ms = endOf(session, entries)

  await insertPlan(trx, { organization_id, session_id: _id }, entries)
  const clock = { anchor_at: now, speed: session.speed, end_offset_ms }
  await updateSession(trx, session, {
    status: 'running',
    started_at: now,
    experiment_id,
    arm,
    scenario: jsonb(scenario),
    cast_ids: cast.map((one) => one._id),
    conversations: jsonb(channels.map(({ messages, ...conversation }) => conversation)),
    warnings: jsonb([...warnings, ...doubtsIn(session, { entries, end_offset_ms }, experiments)]),
    planned: entries.length,
    end_offset_ms,
    anchor_at: now,
    ...nextOf(clock, entries[0]?.offset_ms ?? null),
  })
  const about = { arm, experiment_id, planned: entries.length, ...(reason && { reason }) }
  const details = { ...(actor_type && { actor_type }), metadata: about }
  await recordAuditEvents(trx, request, [sessionEvent(session, 'session_started', details)])
}

/** The plan of a session; one that is played from outside has none. */
function planOf({ mode, timing }: LockedSession, channels: PlannedChannel[], arm: Play['arm']) {
  return mode === 'scripted'
    ? compilePlan(channels, { timing, arm })
    : { entries: [], warnings: [] }
}

/** The channels of the scenario, with what is to be said there to this team. */
async function channelsOf(
  trx: Trx,
  stage: Stage,
  session: LockedSession,
): Promise<PlannedChannel[]> {
  const { organization_id, scenario_name } = session
  const templates = await selectActiveTemplates(trx, organization_id, scenario_name)
  const address = await addressTeam(trx, stage, session)
  return templates.map(({ _id: channel_id, channel_name, message_templates }) => ({
    conversation_id: createId(),
    channel_id,
    channel_name,
    messages: completeMessages(message_templates).map(address),
  }))
}
