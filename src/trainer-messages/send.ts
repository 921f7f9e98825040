import type { FastifyRequest } from 'fastify'
import { recordAuditEvents } from '../audit-events/record.js'
import type { Schema } from '../contract.js'
import type { Trx } from '../database/schema.js'
import { clientMessageIdUsed, sessionEnded } from '../errors.js'
import { createId } from '../formats/identifiers.js'
import { callerOf } from '../identity/caller.js'
import { elapsedMs } from '../simulation-sessions/clock/clock.js'
import { hasEnded, openAfterEndMs } from '../simulation-sessions/lifecycle.js'
import { updateProgress } from '../simulation-sessions/progress-queries.js'
import type { LockedSession, OfSession } from '../simulation-sessions/queries.js'
import { sessionEvent } from '../simulation-sessions/session-events.js'
import { bytesOf } from '../simulation-sessions/stored-bytes.js'
import { type StoredPlace, updatePlace } from '../simulation-sessions/team/participant-queries.js'
import { requireWithinWordLimits } from '../simulation-sessions/word-limits.js'
import { refuseBeyond } from '../usage/require-limits.js'
import * as queries from './queries.js'

type Request = Pick<FastifyRequest, 'id' | 'caller' | 'server'> & {
  body: Schema<'NewTrainerMessage'>
}

interface Recipient {
  /** The place of the participant whose words these are, or who gets them. */
  place: Pick<StoredPlace, 'organization_id' | '_id' | 'stored_bytes'>
  from_trainer: boolean
  to_all?: boolean | undefined
}

/**
 * Sends private words in a locked session. Returns the message that the caller has sent before if it has
 * the same `client_message_id`, and throws 409 if that message differs.
 */
export async function send(
  trx: Trx,
  request: Request,
  session: LockedSession,
  { place, from_trainer, to_all = false }: Recipient,
): Promise<queries.TrainerMessage> {
  const { content, client_message_id = null } = request.body
  const { user_id: sender_id } = callerOf(request)
  const { organization_id, _id: session_id, now: created_at } = session
  const key = { organization_id, session_id }
  const { _id: assignment_id } = place
  const sent = await sentBefore(trx, key, sender_id, client_message_id)
  if (sent) {
    const isSame = sent.content === content && sent.assignment_id === assignment_id
    if (!isSame) throw clientMessageIdUsed()
    return sent
  }
  requireOpen(session)
  const seq = session.trainer_seq + 1
  const _id = createId()
  const about = { ...key, seq, _id, assignment_id, sender_id, from_trainer, to_all }
  const elapsed_ms = elapsedMs(session, created_at)
  const message = { ...about, client_message_id, content, elapsed_ms, created_at }
  const adding = bytesOf([message])
  await requireMessageLimits(trx, session, request, { place, from_trainer, adding })
  await queries.insertTrainerMessage(trx, message)
  // Those of a participant count as bytes of their place.
  if (!from_trainer) await updatePlace(trx, place, { stored_bytes: place.stored_bytes + adding })
  const stored_bytes = session.stored_bytes + adding
  await updateProgress(trx, session, { trainer_seq: seq, stored_bytes })
  const event_type = from_trainer ? 'participant_answered' : 'trainer_asked'
  const metadata = { trainer_message_id: _id, assignment_id, seq }
  await recordAuditEvents(trx, request, [sessionEvent(session, event_type, { metadata })])
  const stored = await queries.selectBySeq(trx, key, seq)
  if (!stored) throw new Error(`Session ${session_id} has lost the private words ${seq}`)
  return stored
}

/** The message that a sender has sent before under a `client_message_id`. */
async function sentBefore(
  trx: Trx,
  key: OfSession,
  sender_id: string,
  client_message_id: string | null,
): Promise<queries.TrainerMessage | undefined> {
  if (client_message_id === null) return undefined
  return queries.selectByClientId(trx, key, { sender_id, client_message_id })
}

/** Throws 409 if the session ended more than an hour ago. */
function requireOpen({ status, ended_at, now }: LockedSession): void {
  if (!hasEnded(status)) return
  const endedMs = ended_at === null ? 0 : Date.parse(ended_at)
  if (Date.parse(now) - endedMs > openAfterEndMs) throw sessionEnded(status)
}

/** Throws 409 if a limit of `requireWithinWordLimits` is passed, or a participant sends too many private words. */
async function requireMessageLimits(
  trx: Trx,
  session: LockedSession,
  request: Request,
  { place, from_trainer, adding }: Recipient & { adding: number },
): Promise<void> {
  const { organization_id } = session
  const allowed = await request.server.usage.cachedLimits.of(trx, organization_id)
  if (!from_trainer) {
    const used = await queries.countAsked(trx, { organization_id, assignment_id: place._id })
    refuseBeyond('trainer_messages', used, 1, allowed.trainer_messages)
  }
  requireWithinWordLimits(request, { allowed, session, place, adding })
}
