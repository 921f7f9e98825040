const longest = 120

/** The beginning of a text, in one line. */
export function beginningOf(text: string): string {
  const line = text.replace(/\s*\n\s*(- )?/g, ' ')
  return line.length > longest ? `${line.slice(0, longest).trimEnd()}…` : line
}
