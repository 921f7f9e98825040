import { readSeatLinks } from '../../calls/seats.js'
import { readBriefing, readParticipants, readSession } from '../../calls/sessions.js'
import { currentLinks } from '../kept-links.js'

/** Reads what is printed, and which links work: `links` are those that this tab can show. */
export async function readPack(id: string) {
  const [session, briefing, places, made] = await Promise.all([
    readSession(id),
    readBriefing(id),
    readParticipants(id),
    readSeatLinks(id),
  ])
  const working = made.filter(({ revoked_at }) => revoked_at === null)
  return { session, briefing, places, working, links: currentLinks(id, made) }
}

export type PackRead = Awaited<ReturnType<typeof readPack>>
