import type pg from 'pg'
import type { Options } from '../options.js'
import type { Cell, Goal, Outcome } from '../report.js'
import { playRounds, type Task } from '../rounds.js'
import type { Side } from '../sides.js'
import { ratio } from '../statistics.js'
import type { Figures } from '../turn.js'
import { type Costs, costOf } from './costs.js'
import type { OperationName } from './tasks.js'

interface Pair {
  sides: Side[]
  serversOf(side: Side): readonly pg.Client[]
  /** At least this share of the first side's requests per second is wanted of the second. */
  atLeast: number
  /** Of which of the two the costs are. */
  priced: Side['name']
  describe(figures: Figures): Record<string, Cell>
}

/** Every operation with two sides in turns. */
export async function comparePair(
  options: Options,
  tasks: Record<OperationName, Task>,
  { sides, serversOf, atLeast, priced, describe }: Pair,
): Promise<Pick<Outcome, 'rows' | 'goals' | 'costs'>> {
  const rows: Outcome['rows'] = []
  const goals: Goal[] = []
  const costs: Costs = {}
  const [first, second] = sides
  if (!first || !second) throw new Error('A pair is two sides')
  for (const [name, task] of Object.entries(tasks)) {
    const { figures } = await playRounds(options, task, sides, { serversOf })
    const rateOf = (side: Side) => figures.get(side)?.requestsPerSecond ?? null
    goals.push({
      what: `${name}, ${second.name} ÷ ${first.name}`,
      value: ratio(rateOf(second), rateOf(first)),
      atLeast,
    })
    for (const [side, reached] of figures) {
      rows.push({ operation: task.title, side: side.name, ...describe(reached) })
      if (side.name === priced) costs[name as OperationName] = costOf(reached) ?? undefined
    }
  }
  return { rows, goals, costs }
}
