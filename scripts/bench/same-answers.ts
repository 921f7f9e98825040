import { isDeepStrictEqual } from 'node:util'
import type { Side } from './sides.js'

/** What a side did when it was asked once: its answer, and what is comparable of all it did. */
export interface Trial {
  bytes: number
  comparable: unknown
}

export interface Comparison {
  bytes: Map<Side, number>
  /** How many rows all sides send; null when the answer is no list. */
  rows: number | null
}

/** Asks all sides for the same, and throws unless they all do the same. */
export async function compareAnswers(
  sides: readonly Side[],
  ask: (side: Side) => Promise<Trial>,
): Promise<Comparison> {
  const bytes = new Map<Side, number>()
  let first: { side: Side; comparable: unknown } | undefined
  for (const side of sides) {
    const { comparable, ...trial } = await ask(side)
    bytes.set(side, trial.bytes)
    first ??= { side, comparable }
    if (!isDeepStrictEqual(comparable, first.comparable)) {
      const texts = [first.comparable, comparable].map((value) => JSON.stringify(value))
      throw new Error(
        `${first.side.name} and ${side.name} differ:\n${texts.map((text) => text.slice(0, 2_000)).join('\n')}`,
      )
    }
  }
  const all = first?.comparable
  return { bytes, rows: Array.isArray(all) ? all.length : null }
}
