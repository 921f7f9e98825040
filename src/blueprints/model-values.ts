import { fillPlaceholders } from './bundle/placeholders.js'
import type { Model, RubricItem, Scenario } from './catalogue/entries.js'

type Fill = (text: string) => string

/** Texts of models speak of a scenario in its own terms. */
export function fillWith({ terms }: Scenario): Fill {
  const words = new Map(Object.entries(terms))
  return (text) => fillPlaceholders(text, words) ?? text
}

/** What an administrator chooses by; what is said in the channels is not part of it. */
export function modelValue({ effects, source, value, label, description }: Model, fill: Fill) {
  const rubric: RubricItem[] = 'rubric' in effects ? effects.rubric : []
  const told = Object.entries(effects).filter(([name]) => name !== 'rubric')
  return {
    value,
    label,
    description,
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
