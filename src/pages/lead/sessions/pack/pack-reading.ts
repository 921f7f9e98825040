import type { Schema } from '../../../shared/forms/schema.js'
import { readSeatLinks } from '../../calls/seats.js'
import { readBriefing, readParticipants } from '../../calls/sessions.js'
import { keptLinks } from '../kept-links.js'

/** Reads what is printed, with the links that still work. */
export async function readPack(id: string) {
  const [briefing, places, made] = await Promise.all([
    readBriefing(id),
    readParticipants(id),
    readSeatLinks(id),
  ])
  const isCurrent = ({ assignment_id, created_at }: Schema<'NewSeatLink'>) =>
    made.some(
      (one) =>
        one.assignment_id === assignment_id &&
        one.revoked_at === null &&
        one.created_at === created_at,
    )
  return { briefing, places, links: keptLinks(id).filter(isCurrent) }
}

export type PackRead = Awaited<ReturnType<typeof readPack>>
