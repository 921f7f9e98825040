/** The words of a text in lower case, without punctuation. */
export const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .replaceAll('’', "'")
    .match(/[a-z0-9]+(?:['-][a-z0-9]+)*/g) ?? []

const length = 5

/** Every sequence of five words within a text. */
export function ngramsOf(texts: string[]): string[] {
  return texts.flatMap((text) => {
    const words = wordsOf(text)
    const starts = Math.max(words.length - length + 1, 0)
    return Array.from({ length: starts }, (_, i) => words.slice(i, i + length).join(' '))
  })
}

/** The share of the first texts' sequences that the other texts have as well. */
export function sharedShare(some: string[], others: string[]): number {
  const [own, other] = [new Set(ngramsOf(some)), new Set(ngramsOf(others))]
  return own.size === 0 ? 0 : [...own].filter((one) => other.has(one)).length / own.size
}

export const shared = (some: string[], others: string[]): string[] => {
  const other = new Set(ngramsOf(others))
  return [...new Set(ngramsOf(some))].filter((one) => other.has(one))
}

/** The sequences that occur more than once, and their share. */
export function repeatedIn(texts: string[]): { share: number; repeated: string[] } {
  const all = ngramsOf(texts)
  const repeated = [...new Set(all.filter((one, i) => all.indexOf(one) !== i))]
  return { share: all.length === 0 ? 0 : 1 - new Set(all).size / all.length, repeated }
}
