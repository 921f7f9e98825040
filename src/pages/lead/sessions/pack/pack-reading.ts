import { readSeatLinks } from '../../calls/seats.js'
import { readBriefing, readParticipants } from '../../calls/sessions.js'
import { currentLinks } from '../kept-links.js'

/** Reads what is printed, with the links that still work. */
export async function readPack(id: string) {
  const [briefing, places, made] = await Promise.all([
    readBriefing(id),
    readParticipants(id),
    readSeatLinks(id),
  ])
  return { briefing, places, links: currentLinks(id, made) }
}

export type PackRead = Awaited<ReturnType<typeof readPack>>
