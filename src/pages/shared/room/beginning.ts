const graphemes = new Intl.Segmenter()

/** The beginning of a text, in one line. No emoji or accent is cut in two. */
export function beginningOf(text: string, longest = 120): string {
  const line = text.replace(/\s*\n\s*(- )?/g, ' ')
  const next = graphemes.segment(line).containing(longest)
  return next ? `${line.slice(0, next.index).trimEnd()}…` : line
}

/** What a reader takes for the first letter of a word. */
export const firstOf = (word: string) => graphemes.segment(word).containing(0)?.segment ?? ''
