import type pg from 'pg'
import { send } from './client.js'
import type { Options } from './options.js'
import { type Comparison, compareAnswers, type Trial } from './same-answers.js'
import type { Side } from './sides.js'
import { type Figures, medianFigures, type Requests, takeTurn } from './turn.js'

/** One operation that all sides do, under the same load in turn. */
export interface Task extends Requests {
  title: string
  /** Asks a side once, for the comparison; by default for what the first connection sends first. */
  ask?(side: Side): Promise<Trial>
}

interface Arrangement {
  /** A connection to the database of a side on each of its servers. */
  serversOf(side: Side): readonly pg.Client[]
  afterRound?(): Promise<void>
}

export interface Rounds {
  comparison: Comparison
  figures: Map<Side, Figures>
}

/**
 * A B C, B C A, C A B …, as many rounds as wanted: what disturbs the machine for a while disturbs
 * all, and nobody is always the first. The first of two equal programs had a tenth less.
 */
export async function playRounds(
  options: Options,
  task: Task,
  sides: readonly Side[],
  { serversOf, afterRound }: Arrangement,
): Promise<Rounds> {
  const comparison = await compareAnswers(sides, task.ask ?? ((side) => askOnce(side, task)))
  const turns = new Map<Side, Figures[]>(sides.map((side) => [side, []]))
  const play = (side: Side, seconds: number) =>
    takeTurn(task, side, serversOf(side), { ...options, seconds })
  for (const side of sides) await play(side, Math.max(1, options.seconds / 2))
  for (let round = 0; round < options.rounds; round++) {
    const first = round % sides.length
    for (const side of [...sides.slice(first), ...sides.slice(0, first)]) {
      turns.get(side)?.push(await play(side, options.seconds))
    }
    await afterRound?.()
  }
  const figures = new Map([...turns].map(([side, of]) => [side, medianFigures(of)]))
  return { comparison, figures }
}

async function askOnce({ url }: Side, { requestsOf, expectedStatus }: Task): Promise<Trial> {
  const [request] = requestsOf(0)
  if (!request) throw new Error('There is no request to compare')
  const { bytes, body } = await send(url, request, expectedStatus)
  return { bytes, comparable: body }
}
