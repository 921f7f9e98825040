import { fillPlaceholders } from './bundle/placeholders.js'
import type { Catalogue, ModelField, RubricItem, Scenario } from './catalogue/entries.js'

type Fill = (text: string) => string

/** Texts of models speak of a scenario in its own terms. */
export function fillWith({ terms }: Scenario): Fill {
  const words = new Map(Object.entries(terms))
  return (text) => fillPlaceholders(text, words) ?? text
}

type ModelEntry = Catalogue['models'][ModelField]['values'][number]

/** What is said in the channels is no effect that anybody chooses by. */
const said = new Set(['lines', 'manners', 'follow_ups', 'rubric'])

export function modelValue({ effects, source, ...entry }: ModelEntry, fill: Fill) {
  const rubric: RubricItem[] = 'rubric' in effects ? effects.rubric : []
  const told = Object.entries(effects).filter(([name]) => !said.has(name))
  return {
    ...entry,
    effects: filled(Object.fromEntries(told), fill) as Record<string, unknown>,
    rubric: rubric.map((item) => ({ ...item, question: fill(item.question) })),
    source: { title: source.title, url: source.url ?? null },
  }
}

function filled(value: unknown, fill: Fill): unknown {
  if (typeof value === 'string') return fill(value)
  if (Array.isArray(value)) return value.map((item) => filled(item, fill))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, fill)]))
}
