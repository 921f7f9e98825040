import { readPeople } from '../calls/people.js'
import { readSeatLinks } from '../calls/seats.js'
import {
  readBriefing,
  readDecisions,
  readParticipants,
  readReadiness,
  readSession,
} from '../calls/sessions.js'
import { may, me } from '../me.js'
import { WordsOfAll } from '../words-of-all.js'
import { currentLinks, forgetLinksOf } from './kept-links.js'

/** Reads all that the page of a session shows to the user's role. */
export async function readAll(id: string) {
  const session = await readSession(id)
  if (['completed', 'cancelled'].includes(session.status)) forgetLinksOf(id)
  const isBefore = ['draft', 'scheduled'].includes(session.status)
  const [briefing, places, links, people, readiness, decisions, waiting] = await Promise.all([
    readBriefing(id),
    may('listParticipants') ? readParticipants(id) : null,
    may('listSeatLinks') ? readSeatLinks(id) : null,
    may('addParticipant') ? readPeople() : null,
    isBefore && may('getSessionReadiness') ? readReadiness(id) : null,
    isBefore ? [] : readDecisions(id),
    readWaiting(id),
  ])
  const kept = currentLinks(id, links ?? [])
  return { session, isBefore, briefing, places, links, kept, people, readiness, decisions, waiting }
}

/** Reads how many private words of participants wait for an answer. */
async function readWaiting(id: string): Promise<number> {
  const words = new WordsOfAll(id, me.value?.user._id ?? '')
  await words.read()
  return words.waiting.value.length
}

export type SessionRead = Awaited<ReturnType<typeof readAll>>

/** Whether all that is missing for the start is people in roles, which may stay empty. */
export const lacksOnlyRoles = ({ readiness }: SessionRead): boolean =>
  readiness?.checks.every(({ check, passed }) => passed || check === 'roles') === true

/** The titles of the roles that have no place yet. */
export function missingRolesOf({ briefing, places }: SessionRead): string[] {
  const taken = new Set(places?.map(({ role_key }) => role_key))
  const roles = briefing.facilitator?.roles ?? []
  return roles.filter(({ role_key }) => !taken.has(role_key)).map(({ title }) => title)
}

/** How many minutes of its clock the session takes; null if the page cannot know that. */
export function minutesOf({
  session,
  briefing,
}: Pick<SessionRead, 'session' | 'briefing'>): number | null {
  if (session.ends_after_minutes !== null) return session.ends_after_minutes
  if (session.timing !== 'drill') return null
  return briefing.facilitator?.run_sheet.at(-1)?.to_minute ?? null
}
