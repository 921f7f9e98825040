import { fillPlaceholders } from './bundle/placeholders.js'
import type { Model, RubricItem, Scenario } from './catalogue/entries.js'

type FillTerms = (text: string) => string

/** Returns a function that writes the scenario's terms into the texts of models. */
export function fillWith({ terms }: Scenario): FillTerms {
  const words = new Map(Object.entries(terms))
  return (text) => fillPlaceholders(text, words) ?? text
}

/** The contract's BlueprintModelValue. The lines that the model adds to channels are left out. */
export function modelValue({ effects, source, value, label, description }: Model, fill: FillTerms) {
  const rubric: RubricItem[] = 'rubric' in effects ? effects.rubric : []
  const others = Object.entries(effects).filter(([name]) => name !== 'rubric')
  return {
    value,
    label,
    description,
    effects: filled(Object.fromEntries(others), fill) as Record<string, unknown>,
    rubric: rubric.map((item) => ({ ...item, question: fill(item.question) })),
    source: { title: source.title, url: source.url ?? null },
  }
}

function filled(value: unknown, fill: FillTerms): unknown {
  if (typeof value === 'string') return fill(value)
  if (Array.isArray(value)) return value.map((item) => filled(item, fill))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, fill)]))
}
