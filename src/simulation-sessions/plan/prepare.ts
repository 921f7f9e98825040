import type { FastifyInstance } from 'fastify'
import { completeMessages, sendersOf } from '../../channel-templates/messages.js'
import {
  type Channel,
  type PreparedChannel,
  readPrepared,
  selectActiveChannels,
} from '../../channel-templates/rows/play-queries.js'
import type { Schema } from '../../contract.js'
import type { Trx } from '../../database/schema.js'
import { createId } from '../../formats/identifiers.js'
import type { Allowed } from '../../limits.js'
import type { Pause } from '../../turns/slices.js'
import { selectAllowed } from '../../usage/limit-queries.js'
import { refuseBeyond } from '../../usage/require-limits.js'
import type { LockedSession } from '../queries.js'
import { type CastMember, lockCast } from '../team/cast-queries.js'
import { compilePlan, type SessionPlan } from './compile-plan.js'
import { type Line, linesOf, type PlanOptions } from './lines.js'
import { PlanSize } from './plan-size.js'
import { renderForTeam } from './render-for-team.js'

export interface Prepared extends SessionPlan {
  conversations: Schema<'SessionConversation'>[]
  /** Locked: its users cannot be deleted before the transaction ends. */
  cast: CastMember[]
}

/**
 * Reads the channels, the cast and the plan of a session that starts. Templates are read twice: first
 * to find the senders and to check the size of the plan; then, when the senders are locked, to make the
 * plan. Throws 409 if the plan is too long or the cast too large. Memory never holds more than the plan.
 */
export async function prepare(
  trx: Trx,
  { scenarioLabel, usage }: Pick<FastifyInstance, 'scenarioLabel' | 'usage'>,
  session: LockedSession,
  arm: PlanOptions['arm'],
  pause: Pause,
): Promise<Prepared> {
  const { organization_id, scenario_name, timing, mode } = session
  const allowed = await selectAllowed(trx, usage.defaults, organization_id)
  const maxTemplates = mode === 'scripted' ? allowed.plan_lines + 1 : allowed.scenario_templates
  const channels = await selectActiveChannels(trx, organization_id, scenario_name, maxTemplates)
  const conversations = channels.map((channel) => ({ conversation_id: createId(), ...channel }))
  const stored = readPrepared(trx, organization_id, channels)
  const size = mode === 'scripted' ? new PlanSize(allowed) : null
  const storedSenders = await sendersIn(stored, size, pause)
  const lock = async (sender_ids: Set<string>) => {
    const cast = await lockCast(trx, organization_id, scenario_name, [...sender_ids])
    refuseBeyond('session_characters', cast.length, 0, allowed.session_characters)
    return cast
  }
  const cast = await lock(storedSenders)
  if (mode !== 'scripted') return { conversations, cast, entries: [], warnings: [] }
  const options = { timing, arm, render: await renderForTeam(trx, { scenarioLabel }, session) }
  const locked = readPrepared(trx, organization_id, conversations)
  const { lines, senders } = await readLines(locked, options, allowed, pause)
  return {
    conversations,
    ...compilePlan(lines, options),
    cast: await lock(senders),
  }
}

/** The ids of all senders in these channels. Throws 409 if the messages exceed the size of a plan. */
async function sendersIn(
  stored: AsyncIterable<PreparedChannel<Channel>>,
  size: PlanSize | null,
  pause: Pause,
): Promise<Set<string>> {
  const senders = new Set<string>()
  for await (const { message_templates } of stored) {
    await pause()
    const messages = completeMessages(message_templates)
    size?.addChannel(messages)
    for (const id of sendersOf(messages)) senders.add(id)
  }
  return senders
}

/** The lines of these conversations for one arm, and the ids of all senders there. */
async function readLines(
  stored: AsyncIterable<PreparedChannel<Line['conversation']>>,
  options: PlanOptions,
  allowed: Allowed,
  pause: Pause,
) {
  const size = new PlanSize(allowed)
  const lines: Line[] = []
  const senders = new Set<string>()
  for await (const { channel, message_templates } of stored) {
    await pause()
    const messages = completeMessages(message_templates)
    for (const id of sendersOf(messages)) senders.add(id)
    for (const message of messages) {
      await pause()
      for (const line of linesOf(message, channel, options)) {
        size.addLine(line)
        lines.push(line)
      }
    }
  }
  return { lines, senders }
}
