import type { Cost, Costs } from '../scale/costs.js'
import type { OperationName } from '../scale/tasks.js'
import type { Scenario } from '../setting.js'

/** Of all cores: the rest is for peaks, and for what PostgreSQL does beside answering. */
const targetLoad = 0.7
const clusterNodes = 8
const clusterCores = 8

const operations: Record<OperationName, { what: string; share: number }> = {
  users10: { what: 'users, 10 rows', share: 0.5 },
  audit100: { what: 'audit events, 100 rows', share: 0.3 },
  branding: { what: 'change of a branding', share: 0.19 },
  register: { what: 'registration, or a login', share: 0.01 },
}

/** Requests per second that so many cores answer when each takes that many microseconds of a core. */
const perSecond = (cores: number, microseconds: number) => (cores * targetLoad * 1e6) / microseconds

const total = ({ service, server, workers }: Cost) => service + server + workers

/** With all queries through one coordinator, which has a node to itself. */
function throughCoordinator({ service, server, workers }: Cost): number {
  const others = (clusterNodes - 1) * clusterCores
  return Math.min(perSecond(clusterCores, server), perSecond(others, service + workers))
}

function mixed(costs: Costs): Cost | undefined {
  const mix: Cost = { service: 0, server: 0, workers: 0 }
  for (const [name, { share }] of Object.entries(operations)) {
    const cost = costs[name as OperationName]
    if (!cost) return undefined
    mix.service += cost.service * share
    mix.server += cost.server * share
    mix.workers += cost.workers * share
  }
  return mix
}

function row(what: string, one: Cost | undefined, spread: Cost | undefined) {
  return {
    'requests/s': what,
    'service ms': one ? one.service / 1_000 : null,
    'PostgreSQL ms': one ? one.server / 1_000 : null,
    '8 cores': one ? perSecond(8, total(one)) : null,
    '32 cores': one ? perSecond(32, total(one)) : null,
    'Citus ms': spread ? (spread.server + spread.workers) / 1_000 : null,
    '8 nodes × 8': spread ? perSecond(clusterNodes * clusterCores, total(spread)) : null,
    'through one': spread ? throughCoordinator(spread) : null,
  }
}

/** What larger machines would carry, worked out from the processor time that was measured. */
export const scaleCapacity: Scenario = {
  name: 'scale-capacity',
  run: async (_, before) => {
    const one = before['scale-processes']?.costs
    if (!one) throw new Error('It works with what scale-processes measures in the same run')
    const spread = before['scale-citus']?.costs ?? {}
    const rows = Object.entries(operations).map(([name, { what }]) =>
      row(what, one[name as OperationName], spread[name as OperationName]),
    )
    const mix = mixed(one)
    rows.push(row('the mix of these', mix, mixed(spread)))
    return { title: 'what larger machines would carry', rows, goals: [], notes: notesOn(mix) }
  },
}

function notesOn(mix: Cost | undefined): string[] {
  const shares = Object.values(operations).map(({ what, share }) => `${share * 100} % ${what}`)
  const processes = mix && Math.ceil((8 * mix.service) / total(mix))
  return [
    `Requests per second: ${targetLoad} × cores ÷ the core time of one, as measured in this run. That`,
    'is linear by cores; nothing here measures more than two. The load comes from elsewhere, and the',
    'service and PostgreSQL share every node. "Through one": all queries enter the cluster at a',
    'coordinator that has one of the nodes to itself; "8 nodes × 8": they enter at every node.',
    `The mix: ${shares.join('; ')}.`,
    `For it the service takes WEB_CONCURRENCY=${processes ?? '?'} of 8 cores, and PostgreSQL the others.`,
  ]
}
