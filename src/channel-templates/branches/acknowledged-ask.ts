import type { Condition, parseMetadata } from '../prepared-metadata.js'

type Read = Pick<ReturnType<typeof parseMetadata>, 'kind' | 'fallback_for' | 'decision'>

/** Whether a message is an acknowledgement: not if it asks for a decision, or is a fallback. */
export const isAcknowledgement = ({ kind, fallback_for, decision }: Read): boolean =>
  kind === 'acknowledgement' && fallback_for === null && decision === null

/**
 * The ask that an acknowledgement answers: of the decisions in its `only_if` the one that is asked
 * for last. `timeOf` says when a message asks.
 */
export function acknowledgedAsk<Ask>(
  only_if: Condition[],
  askOf: (beat: string) => Ask | undefined,
  timeOf: (ask: Ask) => number,
): Ask | undefined {
  const asks = only_if.flatMap(({ beat }) => askOf(beat) ?? [])
  const latest = Math.max(...asks.map(timeOf))
  return asks.find((ask) => timeOf(ask) === latest)
}
