import { comparePair } from '../scale/pair.js'
import { scaleTasks } from '../scale/tasks.js'
import type { Scenario } from '../setting.js'
import { withSides } from '../sides.js'
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
      const tasks = scaleTasks(tenants, branded, () => database.client)
      const compared = await comparePair(options, tasks, {
        sides,
        serversOf: () => [database.client],
        atLeast: leastKept,
        priced: '1 process',
        describe,
      })
      const notes = [
        'A ratio says what a second process gives only where "cores busy" is less than the cores there',
        'are: load, service and PostgreSQL share them. For other machines take the µs a request.',
      ]
      return { title: 'the service in one and in two processes', ...compared, notes }
    }),
}

function describe({ requestsPerSecond, p50, p99, loadUs, serviceUs, serversUs }: Figures) {
  const parts = [loadUs, serviceUs, ...serversUs]
  const busy = parts.reduce((sum: number, us) => sum + (us ?? 0), 0) * (requestsPerSecond ?? 0)
  return {
    'requests/s': requestsPerSecond,
    'p50 ms': p50,
    'p99 ms': p99,
    'load µs': loadUs,
    'service µs': serviceUs,
    'PostgreSQL µs': serversUs[0] ?? null,
    'cores busy': parts.includes(null) ? null : busy / 1e6,
  }
}
