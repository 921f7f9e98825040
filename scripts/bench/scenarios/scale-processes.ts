import type { Goal } from '../report.js'
import { playRounds } from '../rounds.js'
import { type Costs, costOf } from '../scale/costs.js'
import { type OperationName, scaleTasks } from '../scale/tasks.js'
import type { Scenario } from '../setting.js'
import { withSides } from '../sides.js'
import { ratio } from '../statistics.js'
import { insertTemporaryOrganizations } from '../temporary.js'
import type { Figures } from '../turn.js'

const brandedOrganizations = 4
/** Where all cores are busy already a second process can only cost, and may cost no more. */
const leastKept = 0.8

/** What a second process of the service gives, and what a request costs in processor time. */
export const scaleProcesses: Scenario = {
  name: 'scale-processes',
  run: ({ options, database, tenants }) =>
    withSides(['1 process', '2 processes'], database.url, async (sides) => {
      const branded = await insertTemporaryOrganizations(database.client, brandedOrganizations)
      const rows = []
      const goals: Goal[] = []
      const costs: Costs = {}
      const tasks = scaleTasks(tenants, branded, () => database.client)
      for (const [name, task] of Object.entries(tasks)) {
        const { figures } = await playRounds(options, task, sides, {
          serversOf: () => [database.client],
        })
        for (const [side, reached] of figures) rows.push(row(task.title, side.name, reached))
        const [one, two] = sides.flatMap((side) => figures.get(side) ?? [])
        if (!one || !two) throw new Error('A side did not take its turns')
        costs[name as OperationName] = costOf(one) ?? undefined
        const value = ratio(two.requestsPerSecond, one.requestsPerSecond)
        goals.push({ what: `${task.title}, 2 processes ÷ 1`, value, atLeast: leastKept })
      }
      const notes = [
        'A ratio says what a second process gives only where "cores busy" is less than the cores there',
        'are: load, service and PostgreSQL share them. For other machines take the µs a request.',
      ]
      return { title: 'the service in one and in two processes', rows, goals, notes, costs }
    }),
}

function row(operation: string, side: string, reached: Figures) {
  const { requestsPerSecond, p50, p99, loadUs, serviceUs, serversUs } = reached
  const parts = [loadUs, serviceUs, ...serversUs]
  const busy = parts.reduce((sum: number, us) => sum + (us ?? 0), 0) * (requestsPerSecond ?? 0)
  return {
    operation,
    side,
    'requests/s': requestsPerSecond,
    'p50 ms': p50,
    'p99 ms': p99,
    'load µs': loadUs,
    'service µs': serviceUs,
    'PostgreSQL µs': serversUs[0] ?? null,
    'cores busy': parts.includes(null) ? null : busy / 1e6,
  }
}
