import type { Schema } from '../../shared/forms/schema.js'
import { number, say, type Word } from '../words/words.js'

/** An effect of a model's value, as a name and lines of text. */
export interface Effect {
  name: string
  lines: string[]
}

/** Effects that no session of the scenario's own cast shows. */
const unseen = ['every_working_hours', 'colleague_team', 'colleague_edge']

/** Returns the effects of a value in words. Members of the cast are named by their title. */
export function effectsOf(
  { effects }: Schema<'BlueprintModelValue'>,
  cast: readonly Schema<'CastRole'>[],
): Effect[] {
  const titles = new Map(cast.map(({ slot, title }) => [slot, title]))
  return Object.entries(effects)
    .filter(([key, value]) => !unseen.includes(key) && !(isFactor(key) && value === 1))
    .map(([key, value]) => ({
      name: wordOf(`lead.effect.${key}`) ?? wordsOf(key),
      lines: (Array.isArray(value) ? value : [value]).map((one) => textOf(key, one, titles)),
    }))
}

function textOf(key: string, value: unknown, titles: Map<string, string>): string {
  if (isFactor(key)) return say('lead.effectTimes', { times: number(Number(value)) })
  if (typeof value === 'boolean') return say(value ? 'rating.yes' : 'rating.no')
  if (Array.isArray(value)) return value.map((one) => textOf(key, one, titles)).join(', ')
  if (typeof value !== 'object' || value === null) {
    const text = String(value)
    return titles.get(text) ?? wordOf(`lead.effect.${key}.${text}`) ?? text
  }
  const { from, to, kind, name, members, criterion, question } = value as Record<string, unknown>
  if (from && to) return edgeText(textOf(key, from, titles), `${kind}`, textOf(key, to, titles))
  if (name && members) return `${name}: ${textOf(key, members, titles)}`
  return `${criterion}: ${question}`
}

/** Whether an effect is by what a time is multiplied. */
const isFactor = (key: string) => ['pace', 'reply_delay'].includes(key)

const edgeText = (from: string, kind: string, to: string) =>
  wordOf(`lead.edge.${kind}`, { from, to }) ?? `${from} → ${to}: ${wordsOf(kind)}`

/** The page's own word; undefined for what the page does not know. */
function wordOf(word: string, values: Record<string, string> = {}): string | undefined {
  const text = say(word as Word, values)
  return text === word ? undefined : text
}

const wordsOf = (key: string) => key.replaceAll('_', ' ')
