type Path = (string | number)[]

/** Placeholders that mean nothing, and people who speak of themselves by name, in every text. */
export function wordFaults(
  data: unknown,
  known: readonly string[],
  path: Path = [],
  speaker?: string,
): { path: Path; message: string }[] {
  if (typeof data === 'string') {
    return [...data.matchAll(/\{(.*?)\}/g)].flatMap(([text, name = '']) => {
      if (!known.includes(name)) return [{ path, message: `unknown placeholder ${text}` }]
      return name === speaker ? [{ path, message: `${speaker} speaks of themselves` }] : []
    })
  }
  if (typeof data !== 'object' || data === null) return []
  const { from } = data as { from?: string }
  return Object.entries(data).flatMap(([key, value]) => {
    const inner = key === 'replies' || key === 'otherwise' ? undefined : (from ?? speaker)
    return wordFaults(value, known, [...path, key], inner)
  })
}
