import type { Schema } from '../../../shared/forms/schema.js'
import { say, type Word } from '../../../shared/words/words.js'

/** The outcomes that every scenario has, as the contract of `registerAnalysisPlan` names them. */
const common = [
  'expectations_met',
  'answered_share',
  'first_answer_minutes',
  'messages_per_participant',
  'participation_balance',
]

/** The outcomes to choose from: those of every scenario, and the criteria of this one. */
export function outcomesOf(
  blueprint: Schema<'Blueprint'> | null,
): { value: string; label: string }[] {
  const rubric = (blueprint?.rubric ?? []).filter(({ scale }) => scale.type !== 'text')
  return [
    ...common.map((value) => ({ value, label: say(`lead.outcome.${value}` as Word) })),
    ...rubric.map(({ criterion }) => ({
      value: `rubric:${criterion}`,
      label: say('lead.outcome.rubric', { criterion }),
    })),
  ]
}

/** The name of an outcome, in words if the page has them. */
export const outcomeLabel = (outcome: string, blueprint: Schema<'Blueprint'> | null) =>
  outcomesOf(blueprint).find(({ value }) => value === outcome)?.label ?? outcome

/** What is expected of an outcome. */
export const directions = ['increase', 'decrease', 'any'] as const
export type Direction = (typeof directions)[number]
