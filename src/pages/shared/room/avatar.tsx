import { firstOf } from './beginning.js'
import type { Person } from './people.js'

/** The picture of a person. Pictures of other sites are not loaded: the letters of the name stand for them. */
export function Avatar({ person }: { person: Person | undefined }) {
  const url = person?.avatar_url ?? ''
  if (/^(\/(?!\/)|data:)/.test(url)) {
    return <img class="avatar" src={url} alt="" width="36" height="36" loading="lazy" />
  }
  return (
    <span class="avatar letters" aria-hidden="true">
      {initialsOf(person?.name ?? '–')}
    </span>
  )
}

const initialsOf = (name: string) =>
  name.split(/\s+/).filter(Boolean).slice(0, 2).map(firstOf).join('')
