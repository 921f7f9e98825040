import type { FastifyInstance } from 'fastify'
import type { Transaction } from 'kysely'
import { completeMessages, sendersOf } from '../channel-templates/messages.js'
import {
  type Channel,
  type PreparedChannel,
  readPrepared,
  selectActiveChannels,
} from '../channel-templates/play-queries.js'
import type { Schema } from '../contract.js'
import type { Database } from '../database/schema.js'
import { createId } from '../identifiers.js'
import type { Pause } from '../turns/slices.js'
import { selectAllowed } from '../usage/limit-queries.js'
import type { Allowed } from '../usage/limits.js'
import { refuseBeyond } from '../usage/room.js'
import { renderForTeam } from './addressee.js'
import { type CastMember, lockCast } from './cast-queries.js'
import { compilePlan, type Plan } from './plan.js'
import { type Line, linesOf, type Play } from './plan-lines.js'
import { PlanSize } from './plan-size.js'
import type { LockedSession } from './queries.js'

type Trx = Transaction<Database>

export interface Prepared extends Plan {
  conversations: Schema<'SessionConversation'>[]
  /** Locked: they cannot be deleted before the transaction ends. */
  cast: CastMember[]
}

/**
 * Reads the scenario of a session that starts: its channels, its cast, and what is posted. Templates
 * are read twice: first to see who speaks and that the plan is not too long, then, when the speakers
 * are locked, to plan. Throws 409 for a plan that is too long or a cast that is too large. Memory
 * never holds more than the plan.
 */
export async function prepare(
  trx: Trx,
  { scenarioLabel }: Pick<FastifyInstance, 'scenarioLabel'>,
  session: LockedSession,
  arm: Play['arm'],
  pause: Pause,
): Promise<Prepared> {
  const { organization_id, scenario_name, timing, mode } = session
  const allowed = await selectAllowed(trx, organization_id)
  const most = mode === 'scripted' ? allowed.plan_lines + 1 : allowed.scenario_templates
  const channels = await selectActiveChannels(trx, organization_id, scenario_name, most)
  const conversations = channels.map((channel) => ({ conversation_id: createId(), ...channel }))
  const stored = readPrepared(trx, organization_id, channels)
  const size = mode === 'scripted' ? new PlanSize(allowed) : null
  const speakers = await speakersIn(stored, size, pause)
  const lock = async (speaker_ids: Set<string>) => {
    const cast = await lockCast(trx, organization_id, scenario_name, [...speaker_ids])
    refuseBeyond('session_characters', cast.length, 0, allowed.session_characters)
    return cast
  }
  const cast = await lock(speakers)
  if (mode !== 'scripted') return { conversations, cast, entries: [], warnings: [] }
  const play = { timing, arm, render: await renderForTeam(trx, { scenarioLabel }, session) }
  const locked = readPrepared(trx, organization_id, conversations)
  const { lines, senders } = await readLines(locked, play, allowed, pause)
  return {
    conversations,
    ...compilePlan(lines, play),
    cast: await lock(senders),
  }
}

/** The ids of all who speak in channels. Throws 409 where what is said is too much for a plan. */
async function speakersIn(
  stored: AsyncIterable<PreparedChannel<Channel>>,
  size: PlanSize | null,
  pause: Pause,
): Promise<Set<string>> {
  const speakers = new Set<string>()
  for await (const { message_templates } of stored) {
    await pause()
    const messages = completeMessages(message_templates)
    size?.addChannel(messages)
    for (const id of sendersOf(messages)) speakers.add(id)
  }
  return speakers
}

/** What is said in conversations by the arm that is played, and all who speak there. */
async function readLines(
  stored: AsyncIterable<PreparedChannel<Line['conversation']>>,
  play: Play,
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
      for (const line of linesOf(message, channel, play)) {
        size.addLine(line)
        lines.push(line)
      }
    }
  }
  return { lines, senders }
}
