import type { Scenario } from './entries.js'
import { type Found, fault, type Named } from './line-faults.js'

/** Beats that are named and not described, and decisions that nobody asks for. */
export function beatFaults(
  { beats = [], decision_points = [], experiment }: Scenario,
  lines: Named[],
): Found[] {
  const described = beats.map(({ beat }) => beat)
  const uses = [
    ...lines.map(({ line, path }) => ({ beat: line.beat, path: [...path, 'beat'] })),
    ...lines.map(({ line, path }) => ({
      beat: line.fallback_for,
      path: [...path, 'fallback_for'],
    })),
    ...decision_points.map(({ beat }, i) => ({ beat, path: ['decision_points', i, 'beat'] })),
    ...experiment.rubric.map(({ evidence: beat }, i) => {
      return { beat, path: ['experiment', 'rubric', i, 'evidence'] }
    }),
    ...experiment.measures.map(({ beat }, i) => {
      return { beat, path: ['experiment', 'measures', i, 'beat'] }
    }),
  ]
  const asked = lines
    .filter(({ line }) => line.kind === 'decision_point')
    .map(({ line }) => line.beat)
  return [
    ...uses
      .filter(({ beat }) => beat !== undefined && !described.includes(beat))
      .flatMap(({ beat, path }) => fault(path, `there is no beat ${beat}`)),
    ...decision_points
      .filter(({ beat }) => !asked.includes(beat))
      .flatMap(({ beat }) =>
        fault(['decision_points'], `no line of kind decision_point asks ${beat}`),
      ),
  ]
}
