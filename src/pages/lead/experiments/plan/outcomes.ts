import type { Schema } from '../../../shared/forms/schema.js'
import { capitalised, say, type Word } from '../../words/words.js'
import type { ExperimentRead } from '../experiment-reading.js'

/** The outcomes that the page has its own words for. */
const common = [
  'expectations_met',
  'answered_share',
  'first_answer_minutes',
  'messages_per_participant',
  'participation_balance',
  'decisions_made',
  'decision_minutes',
]

type Results = Schema<'ExperimentResults'>

/** The outcomes to choose from. Those by which the scenario tests its hypothesis come first. */
export function outcomesOf({
  experiment,
  results,
}: ExperimentRead): { value: string; label: string }[] {
  const { measures } = experiment.metadata
  const own = Array.isArray(measures) ? measures : []
  const known = results.known_outcomes ?? []
  const isOwn = ({ label }: Schema<'KnownOutcome'>) => own.includes(label)
  return [...known.filter(isOwn), ...known.filter((one) => !isOwn(one))].map((one) => ({
    value: one.outcome,
    label: labelOf(one),
  }))
}

/** The name of an outcome, in words if there are any. */
export function outcomeLabel(outcome: string, { known_outcomes, outcomes }: Results): string {
  const found = [...(known_outcomes ?? []), ...(outcomes ?? [])].find(
    (one) => one.outcome === outcome,
  )
  return labelOf(found ?? { outcome, label: outcome })
}

export function labelOf({ outcome, label }: Schema<'KnownOutcome'>): string {
  if (common.includes(outcome)) return say(`lead.outcome.${outcome}` as Word)
  const [, criterion] = outcome.match(/^rubric:(.+)$/s) ?? []
  if (criterion) return say('lead.outcome.rubric', { criterion })
  if (isOption(outcome)) return say('lead.outcome.option', { option: label })
  // A scenario that is not there any more has no words for it.
  return capitalised(label === outcome ? outcome.replace(/[_:]/g, ' ') : label)
}

/** Whether an outcome says how one decision ended. */
export const isOption = (outcome: string) => outcome.startsWith('option:')

/** What is expected of an outcome. */
export const directions = ['increase', 'decrease', 'any'] as const
export type Direction = (typeof directions)[number]

/** Minutes until something happens get fewer if the intervention helps. */
export const usualDirection = (outcome: string): Direction =>
  /^(first_answer|decision)_minutes/.test(outcome) ? 'decrease' : 'increase'
