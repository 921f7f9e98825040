import type { Arm, Models, When, Words } from '../../catalogue/entries.js'

/** Whether a condition on the models holds. */
export const holds = (when: When | undefined, models: Models): boolean =>
  Object.entries(when ?? {}).every(([field, values]) =>
    values.includes(models[field as keyof Models]),
  )

/**
 * Chooses the text for an arm or for a model's value. A value without a text of its own has that of
 * the scenario's preset.
 */
export function wording(
  words: Words,
  { arm, presets, models }: { arm: Arm; presets: Models; models: Models },
): string | undefined {
  if (typeof words === 'string') return words
  const [[field, texts] = ['', {}]] = Object.entries<Record<string, string>>(words)
  if (field === 'arm') return texts[arm]
  const known = field as keyof Models
  const value = Object.hasOwn(texts, models[known]) ? models[known] : presets[known]
  return texts[value]
}
