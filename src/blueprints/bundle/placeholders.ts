import type { Effects, Scenario } from '../catalogue/entries.js'
import type { Member } from './cast.js'

/** Fills the placeholders of a text. Returns undefined when one has no value, such as an absent member. */
export function fillPlaceholders(text: string, words: Map<string, string>): string | undefined {
  let complete = true
  const filled = text.replace(/\{(\w+)\}/g, (_, name: string, at: number) => {
    const word = words.get(name)
    if (word === undefined) complete = false
    const opens = /(^|[.?!] |\n(- |\d+\. )?)$/.test(text.slice(0, at))
    return opens ? capitalised(word ?? '') : (word ?? '')
  })
  return complete ? filled : undefined
}

const capitalised = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

export function placeholderValues(
  { terms }: Scenario,
  cast: Member[],
  address: Effects['org_culture']['address'],
): Map<string, string> {
  const words = new Map(Object.entries(terms))
  for (const { slot, username, given_name, full_name } of cast) {
    const names = { first_name: given_name, full_name, handle: `@${username}` }
    if (slot) words.set(slot, names[address])
  }
  return words
}
