import { ownTeam, sessionNotRateable } from '../errors.js'
import { type FoundSession, requireObserver } from '../simulation-sessions/find-session.js'
import type { StoredSession } from '../simulation-sessions/queries.js'
import type { StoredPlace } from '../simulation-sessions/team/participant-queries.js'

/** Throws 403 unless the caller leads or rates the session, and has never been in its team. */
export function requireRater(
  found: FoundSession,
  user_id: string,
  places: Pick<StoredPlace, 'user_id'>[],
): void {
  requireObserver(found)
  if (places.some((place) => place.user_id === user_id)) throw ownTeam()
}

/**
 * Throws 409 before the start of a session, when its criteria would give away the story, and after a
 * cancellation.
 */
export function requireRateable({
  started_at,
  status,
}: Pick<StoredSession, 'started_at' | 'status'>): void {
  if (started_at === null || status === 'cancelled') throw sessionNotRateable(status)
}
