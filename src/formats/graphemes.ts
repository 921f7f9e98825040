const graphemes = new Intl.Segmenter()

/** The beginning of a text: at most `max` characters, and no emoji or accent cut in two. */
export function beginningOf(text: string, max: number): string {
  if (text.length <= max) return text
  // A character counts as one or two in a string's length.
  const characters = Array.from(text.slice(0, 2 * max + 1))
  if (characters.length <= max) return text
  const end = characters.slice(0, max).join('').length
  // A letter may carry more accents than fit.
  return text.slice(0, graphemes.segment(text).containing(end)?.index || end)
}
