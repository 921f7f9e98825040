import type { Schema } from '../../shared/forms/schema.js'

/** An effect of a model's value, as a name and lines of text. */
export interface Effect {
  name: string
  lines: string[]
}

/** Returns the effects of a value in words. Members of the cast are named by their title. */
export function effectsOf(
  { effects }: Schema<'BlueprintModelValue'>,
  cast: readonly Schema<'CastRole'>[],
): Effect[] {
  const titles = new Map(cast.map(({ slot, title }) => [slot, title]))
  return Object.entries(effects).map(([key, value]) => ({
    name: wordsOf(key),
    lines: (Array.isArray(value) ? value : [value]).map((one) => textOf(one, titles)),
  }))
}

const wordsOf = (key: string) => key.replaceAll('_', ' ')

function textOf(value: unknown, titles: Map<string, string>): string {
  if (typeof value === 'string') return titles.get(value) ?? wordsOf(value)
  if (Array.isArray(value)) return value.map((one) => textOf(one, titles)).join(', ')
  if (value === null || typeof value !== 'object') return String(value)
  const { from, to, kind, name, members } = value as Record<string, unknown>
  if (from && to) return `${textOf(from, titles)} → ${textOf(to, titles)}: ${wordsOf(`${kind}`)}`
  if (name && members) return `${name}: ${textOf(members, titles)}`
  return Object.entries(value)
    .map(([key, one]) => `${wordsOf(key)}: ${textOf(one, titles)}`)
    .join(', ')
}
