import { type Chain, switchChain } from '../chain-switch.js'
import { type Recording, type RecordingTurn, takeRecordingTurn } from '../recording-turn.js'
import type { Goal, Outcome } from '../report.js'
import { recordAuditEvent, updateBranding } from '../requests.js'
import type { Scenario, Setting, Tenant } from '../setting.js'
import { type Side, withService } from '../sides.js'
import { median, ratio } from '../statistics.js'
import { insertTemporaryOrganizations } from '../temporary.js'

const organizations = 200
const writers = 32

interface Work extends Recording {
  what: string
  goals: { throughput?: number; cpu?: number }
}

function worksOf(tenants: readonly Tenant[]): Work[] {
  const tenantOf = (number: number) => tenants[number % tenants.length] as Tenant
  return [
    {
      what: `branding, ${organizations} organizations`,
      request: (number) => updateBranding(tenantOf(number), number),
      expectedStatus: 200,
      goals: { throughput: 0.9, cpu: 1.1 },
    },
    {
      what: 'one event, one organization',
      request: (number) => recordAuditEvent(tenantOf(0), number),
      expectedStatus: 201,
      goals: { throughput: 0.8 },
    },
    {
      what: 'branding, one organization',
      request: (number) => updateBranding(tenantOf(0), number),
      expectedStatus: 200,
      goals: {},
    },
  ]
}

async function compare(setting: Setting, service: Side, work: Work) {
  const { client } = setting.database
  const chains: Chain[] = ['chained', 'unchained']
  const turns: Record<Chain, RecordingTurn[]> = { chained: [], unchained: [] }
  for (let round = -1; round < setting.options.rounds; round++) {
    for (const chain of round % 2 === 0 ? chains : chains.toReversed()) {
      await switchChain(client, chain)
      const turn = await takeRecordingTurn(setting, service, { ...work, writers })
      // The first round warms up.
      if (round >= 0) turns[chain].push(turn)
    }
  }
  return chains.map((chain) => describe(work, chain, turns[chain]))
}

function describe({ what }: Work, chain: Chain, turns: RecordingTurn[]) {
  const middle = (of: (turn: RecordingTurn) => number | null) => median(turns.map(of))
  return {
    work: what,
    chain,
    'requests/s': middle(({ requestsPerSecond }) => requestsPerSecond),
    'p50 ms': middle(({ p50 }) => p50),
    'p99 ms': middle(({ p99 }) => p99),
    'CPU µs/request': middle(({ serviceUs }) => serviceUs),
    'PostgreSQL µs/request': middle(({ postgresUs }) => postgresUs),
    'sealed after ms': chain === 'chained' ? middle(({ sealedMs }) => sealedMs) : null,
  }
}

type Row = ReturnType<typeof describe>

function goalsOf({ what, goals }: Work, [chained, unchained]: Row[]): Goal[] {
  const cpuOf = (row: Row | undefined) => {
    const [service, postgres] = [row?.['CPU µs/request'], row?.['PostgreSQL µs/request']]
    return typeof service === 'number' && typeof postgres === 'number' ? service + postgres : null
  }
  const throughput = ratio(chained?.['requests/s'] ?? null, unchained?.['requests/s'] ?? null)
  return [
    { what: `${what}: requests/s ÷ unchained`, value: throughput, atLeast: goals.throughput },
    {
      what: `${what}: CPU ÷ unchained`,
      value: ratio(cpuOf(chained), cpuOf(unchained)),
      atMost: goals.cpu,
    },
  ].filter(({ atLeast, atMost }) => atLeast !== undefined || atMost !== undefined)
}

/** What it costs that every event comes into a chain. */
export const auditChain: Scenario = {
  name: 'audit-chain',
  run: (setting) =>
    withService(setting.database.url, async (service): Promise<Outcome> => {
      const { client } = setting.database
      const tenants = await insertTemporaryOrganizations(client, organizations)
      const rows: Row[] = []
      const goals: Goal[] = []
      for (const work of worksOf(tenants)) {
        const compared = await compare(setting, service, work)
        rows.push(...compared)
        goals.push(...goalsOf(work, compared))
      }
      return { title: `events with and without the chain, ${writers} writers`, rows, goals }
    }),
}
