import type { Scenario } from '../entries.js'
import { type FileFault, fault, type LocatedLine } from './line-faults.js'

/** Finds beats without a description, decisions that no line asks for, and decisions without a fallback. */
export function beatFaults(scenario: Scenario, lines: LocatedLine[]): FileFault[] {
  const { beats = [], decision_points = [] } = scenario
  const described = beats.map(({ beat }) => beat)
  const decided = decision_points.map(({ beat }) => beat)
  const asked = lines.filter(({ line }) => line.kind === 'decision_point')
  const fallbacks = lines.map(({ line }) => line.fallback_for)
  const channels = scenario.channels.map(({ key }) => key)
  return [
    ...usesOf(scenario, lines)
      .filter(({ beat }) => beat !== undefined && !described.includes(beat))
      .flatMap(({ beat, path }) => fault(path, `there is no beat ${beat}`)),
    ...repeatedAt(described, 'beats'),
    ...repeatedAt(decided, 'decision_points'),
    ...asked
      .filter(({ line }) => !decided.includes(line.beat ?? ''))
      .flatMap(({ line, path }) => fault(path, `no decision point is of the beat ${line.beat}`)),
    ...decision_points.flatMap(({ beat }, i) => [
      ...(asked.some(({ line }) => line.beat === beat)
        ? []
        : fault(['decision_points', i], `no line of kind decision_point asks ${beat}`)),
      ...(fallbacks.includes(beat)
        ? []
        : fault(['decision_points', i], `no line is fallback_for ${beat}`)),
    ]),
    ...lines.flatMap(({ line, path }) =>
      line.fallback_for === undefined || decided.includes(line.fallback_for)
        ? []
        : fault([...path, 'fallback_for'], `${line.fallback_for} is no decision point`),
    ),
    ...scenario.experiment.measures.flatMap(({ channel }, i) =>
      channel === undefined || channels.includes(channel)
        ? []
        : fault(['experiment', 'measures', i, 'channel'], `there is no channel ${channel}`),
    ),
  ]
}

const usesOf = ({ decision_points = [], experiment }: Scenario, lines: LocatedLine[]) => [
  ...lines.map(({ line, path }) => ({ beat: line.beat, path: [...path, 'beat'] })),
  ...lines.map(({ line, path }) => ({ beat: line.fallback_for, path: [...path, 'fallback_for'] })),
  ...decision_points.map(({ beat }, i) => ({ beat, path: ['decision_points', i, 'beat'] })),
  ...experiment.rubric.map(({ evidence: beat }, i) => {
    return { beat, path: ['experiment', 'rubric', i, 'evidence'] }
  }),
  ...experiment.measures.map(({ beat }, i) => {
    return { beat, path: ['experiment', 'measures', i, 'beat'] }
  }),
]

const repeatedAt = (beats: string[], list: string): FileFault[] =>
  beats.flatMap((beat, i) =>
    beats.indexOf(beat) === i ? [] : fault([list, i, 'beat'], `another one is of the beat ${beat}`),
  )
