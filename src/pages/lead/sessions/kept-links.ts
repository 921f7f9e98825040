import type { Schema } from '../../shared/forms/schema.js'
import { linksStoredAs, readStored, store } from '../../shared/stored.js'

type Link = Schema<'NewSeatLink'>

/** The links that this tab has made, by session. The service shows each only once. */
const readAll = () => readStored<Record<string, Link[]>>(linksStoredAs) ?? {}

const keptLinks = (session_id: string): Link[] => readAll()[session_id] ?? []

/** The links of this tab that still work, of those that were made for the session. */
export const currentLinks = (session_id: string, made: readonly Schema<'SeatLink'>[]): Link[] =>
  keptLinks(session_id).filter(({ assignment_id, created_at }) =>
    made.some(
      (one) =>
        one.assignment_id === assignment_id &&
        one.revoked_at === null &&
        one.created_at === created_at,
    ),
  )

/** Keeps new links. Each replaces the earlier one of its place. */
export function keepLinks(session_id: string, links: readonly Link[]): void {
  const renewed = new Set(links.map(({ assignment_id }) => assignment_id))
  const others = keptLinks(session_id).filter((one) => !renewed.has(one.assignment_id))
  store(linksStoredAs, { ...readAll(), [session_id]: [...others, ...links] })
}

/** Forgets the link of a place, which no longer works. */
export function forgetLink(session_id: string, assignment_id: string): void {
  const others = keptLinks(session_id).filter((one) => one.assignment_id !== assignment_id)
  store(linksStoredAs, { ...readAll(), [session_id]: others })
}

/** Forgets the links of a session that is over. */
export function forgetLinksOf(session_id: string): void {
  const { [session_id]: _over, ...others } = readAll()
  store(linksStoredAs, others)
}

/** Forgets all links. */
export const forgetLinks = (): void => store(linksStoredAs, null)
