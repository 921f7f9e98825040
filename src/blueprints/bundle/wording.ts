import type { Arm, Models, Scenario, When, Words } from '../catalogue/entries.js'

/** Whether something is said under these models. */
export const holds = (when: When | undefined, models: Models): boolean =>
  Object.entries(when ?? {}).every(([field, values]) =>
    values.includes(models[field as keyof Models]),
  )

/** The text of an arm, or of a model's value: what is not listed says what the preset says, if anything. */
export function wording(
  words: Words,
  arm: Arm,
  { models: presets }: Scenario,
  models: Models,
): string | undefined {
  if (typeof words === 'string') return words
  const [[field, texts] = ['', {}]] = Object.entries<Record<string, string>>(words)
  if (field === 'arm') return texts[arm]
  const known = field as keyof Models
  const value = Object.hasOwn(texts, models[known]) ? models[known] : presets[known]
  return texts[value]
}
