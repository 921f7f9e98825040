/** The path of the picture that `getAvatar` draws for a person without a picture. */
export function avatarAddress(user_id: string, shown_name: string | null): string {
  const path = `/api/v1/avatars/${encodeURIComponent(user_id)}`
  const initials = initialsOf(shown_name ?? '')
  return initials === '' ? path : `${path}?initials=${encodeURIComponent(initials)}`
}

/** The first letters of the first and the last word that have letters, in any script. */
function initialsOf(name: string): string {
  const letters = name.normalize('NFC').split(/\s+/u).flatMap(firstLetterOf)
  const [first = '', ...others] = letters
  return first + (others.at(-1) ?? '')
}

function firstLetterOf(word: string): string[] {
  const [letter = ''] = word.match(/\p{L}/u) ?? []
  // A capital may have several letters: ß becomes SS.
  return Array.from(letter.toUpperCase()).slice(0, 1)
}
