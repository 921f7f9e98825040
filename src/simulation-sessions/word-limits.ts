import type { FastifyRequest } from 'fastify'
import { callerOf, countedAs } from '../identity/caller.js'
import type { Allowed } from '../limits.js'
import { refuseBeyond } from '../usage/require-limits.js'
import { allowedTo, isLeader, isParticipant } from '../usage/reserve.js'
import type { LockedSession } from './queries.js'
import type { StoredPlace } from './team/participant-queries.js'

interface Words {
  allowed: Allowed
  session: Pick<LockedSession, '_id' | 'plan_bytes' | 'stored_bytes'>
  /** The place of the caller. */
  place: Pick<StoredPlace, 'stored_bytes'> | null
  /** How many bytes the caller is about to store. */
  adding: number
}

/**
 * Throws 409 if the session would have too many bytes, or a participant sends too many bytes in it or too
 * much in this minute. Runs no query to count: the locked rows have the counts, and this process counts the
 * minute.
 */
export function requireWithinWordLimits(
  request: Pick<FastifyRequest, 'caller' | 'server'>,
  { allowed, session, place, adding }: Words,
): void {
  const caller = callerOf(request)
  const { stored_bytes, plan_bytes } = session
  // What the story will post is not for participants and bots to use up.
  const used = isLeader(caller) ? stored_bytes : stored_bytes + plan_bytes
  refuseBeyond('bytes_per_session', used, adding, allowedTo(caller, allowed.bytes_per_session))
  if (!isParticipant(caller)) return
  refuseBeyond('participant_bytes', place?.stored_bytes ?? 0, adding, allowed.participant_bytes)
  const { messageRates } = request.server.usage
  const perMinute = allowed.participant_messages_per_minute
  messageRates.take(`${session._id} ${countedAs(caller)}`, perMinute)
}
