import type { Schema } from '../../contract.js'
import type { FrozenScenario, SessionMeasure } from '../../database/tables/frozen-scenario.js'
import { commonOutcomes, type Outcome, ownStatistics } from './common-outcomes.js'
import { ratingOf } from './ratings.js'
import * as statistics from './statistics.js'
import type { Thread } from './transcript.js'

/** All outcomes of a scenario, each once. */
export function outcomesOf({ measures, decision_points, rubric }: FrozenScenario): Outcome[] {
  const all = [
    ...commonOutcomes,
    ...measures.map(measured),
    ...decision_points.flatMap(chosen),
    ...rubric.flatMap(rated),
  ]
  const names = all.map(({ outcome }) => outcome)
  return all.filter(({ outcome }, i) => names.indexOf(outcome) === i)
}

function measured({ label, statistic, beat, channel_name }: SessionMeasure): Outcome {
  const { of, unit, definition } = ownStatistics[statistic]
  const key = beat ?? channel_name
  const where = beat === null ? `the channel ${channel_name}` : `the threads of the beat ${beat}`
  const isMeasured = (thread: Thread) =>
    (beat === null || thread.root.beat === beat) &&
    (channel_name === null || thread.channel_name === channel_name)
  return {
    outcome: key === null ? statistic : `${statistic}:${key}`,
    label,
    unit,
    definition: key === null ? definition : `${definition}; only in ${where}`,
    source: 'messages, as the scenario measures',
    compute: ({ threads, joined }) => of(threads.filter(isMeasured), joined),
  }
}

/** For each option of a decision, whether the decision ended in it. */
function chosen({ beat, question, options }: Schema<'DecisionPoint'>): Outcome[] {
  return options.map(({ option, label }) => ({
    outcome: `option:${beat}:${option}`,
    label: `${question} ${label}`,
    unit: 'yes or no',
    definition: `1 if the decision ${beat} ended in the option ${option}, by people or at its deadline, and 0 if it ended in another one`,
    source: 'decisions, as the scenario asks for them',
    compute: ({ decisions }) => statistics.endedIn(decisions, beat, option),
  }))
}

/** The outcome of a rubric item. A text is not an outcome. */
function rated({ criterion, question, scale }: Schema<'RubricItem'>): Outcome[] {
  if (scale.type === 'text') return []
  return [
    {
      outcome: `rubric:${criterion}`,
      label: question,
      unit: unitOf(scale),
      definition:
        'The mean over the raters of how each rated the team. If a rater rated only participants and not the team, the average of those ratings counts as the rating of the team',
      source: 'ratings by the rubric',
      compute: ({ ratings }) => ratingOf(ratings, criterion),
    },
  ]
}

function unitOf({ type, min, max, unit }: Schema<'RubricScale'>): string {
  if (type === 'boolean') return 'share of yes'
  if (type === 'duration') return 'minutes'
  return unit ?? (min === undefined || max === undefined ? type : `points from ${min} to ${max}`)
}
