import type { Schema } from '../forms/schema.js'

/** A person or character, as a page shows them. */
export interface Person {
  _id: string
  name: string
  /** The role in the team, or the job of a character. */
  title: string | null
  avatar_url: string
  isCharacter: boolean
}

/** A title often names its department: "Head of Sales". */
function jobOf(title: string | null, department: string | null): string | null {
  const isNamed = title?.toLowerCase().includes(department?.toLowerCase() ?? '')
  return [title, isNamed ? null : department].filter(Boolean).join(', ') || null
}

/** All who can speak in a session, by `_id`. */
export function peopleOf({ cast, participants }: Schema<'SessionBriefing'>): Map<string, Person> {
  const characters = cast.map(
    ({ character_id: _id, full_name, avatar_url, title, department }) => ({
      _id,
      name: full_name ?? '–',
      title: jobOf(title, department),
      avatar_url,
      isCharacter: true,
    }),
  )
  const team = participants.map(({ user_id: _id, display_name: name, avatar_url, role_title }) => ({
    _id,
    name,
    title: role_title === name ? null : role_title,
    avatar_url,
    isCharacter: false,
  }))
  return new Map([...characters, ...team].map((one) => [one._id, one]))
}
