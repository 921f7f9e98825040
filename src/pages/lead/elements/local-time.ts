/** An instant as an input for local time takes it. */
export function localOf(instant: string | null): string {
  if (instant === null) return ''
  const date = new Date(instant)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** The instant of an input for local time; null if it is empty. */
export const instantOf = (local: string): string | null =>
  local === '' ? null : new Date(local).toISOString()
