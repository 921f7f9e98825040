import { setTimeout as sleep } from 'node:timers/promises'
import type { Account } from '../accounts.js'
import type { HttpRequest } from '../client.js'
import { type Chain, switchChain, untilSealed } from '../database/chain-switch.js'
import { insertTemporaryOrganizations, temporaryName } from '../database/temporary.js'
import { applyLoad } from '../measuring/load.js'
import { familyCpuMs, postgresCpuMs, usedBetween } from '../measuring/process-meters.js'
import { median, ratio } from '../measuring/statistics.js'
import { type Side, withService } from '../processes.js'
import { recordAuditEvents, updateBranding } from '../requests.js'
import { type Bench, defineScenario } from '../scenario.js'

const organizations = 200
const writers = 32
const minSeconds = 3
/** Sealing comes after the requests, and its cost belongs to them. */
const sealingMs = 2_000

interface Work {
  request(number: number): HttpRequest
  expectedStatus: number
}

interface Turn {
  requestsPerSecond: number
  p99: number | null
  cpuUs: number | null
  sealedMs: number
}

/** Runs one load until all its events are sealed. */
async function takeTurn(bench: Bench, { url, pid }: Side, work: Work): Promise<Turn> {
  const { options, database } = bench
  const before = await readMeters(bench, pid)
  const seconds = Math.max(minSeconds, options.seconds)
  const reached = await applyLoad({ url, ...work, connections: writers, seconds })
  const [sealedMs] = await Promise.all([untilSealed(database.client), sleep(sealingMs)])
  const after = await readMeters(bench, pid)
  const postgres = usedBetween(before.postgres, after.postgres)
  const service =
    before.service === null || after.service === null ? null : after.service - before.service
  // Each request records one event, also before and after the measured part.
  const events = after.events - before.events
  const cpuUs =
    service === null || postgres === null ? null : ((service + postgres) * 1_000) / events
  return { ...reached, cpuUs, sealedMs }
}

async function readMeters({ database: { client } }: Bench, pid: number) {
  const { rows } = await client.query<{ events: number }>(
    `select count(*)::int as events from audit_events
    where organization_id in (select _id from organizations where name = $1)`,
    [temporaryName],
  )
  const events = rows[0]?.events ?? 0
  return { events, service: familyCpuMs(pid), postgres: await postgresCpuMs(client) }
}

/** Compares a load with and without sealing, in turns. */
async function compare(bench: Bench, service: Side, what: string, work: Work) {
  const chains: Chain[] = ['chained', 'unchained']
  const turns: Record<Chain, Turn[]> = { chained: [], unchained: [] }
  for (let round = -1; round < bench.options.rounds; round++) {
    for (const chain of round % 2 === 0 ? chains : chains.toReversed()) {
      await switchChain(bench.database.client, chain)
      const turn = await takeTurn(bench, service, work)
      // The first round warms up.
      if (round >= 0) turns[chain].push(turn)
    }
  }
  const middle = (chain: Chain, name: keyof Turn) => median(turns[chain].map((turn) => turn[name]))
  return {
    throughput: ratio(
      middle('chained', 'requestsPerSecond'),
      middle('unchained', 'requestsPerSecond'),
    ),
    cpu: ratio(middle('chained', 'cpuUs'), middle('unchained', 'cpuUs')),
    rows: chains.map((chain) => ({
      work: what,
      chain,
      'requests/s': middle(chain, 'requestsPerSecond'),
      'p99 ms': middle(chain, 'p99'),
      'CPU µs/request': middle(chain, 'cpuUs'),
      'sealed after ms': chain === 'chained' ? middle(chain, 'sealedMs') : null,
    })),
  }
}

export const auditChain = defineScenario({
  name: 'audit-chain',
  question: 'What does it cost that every audit event is sealed into a chain?',
  goals: {
    'brandings of 200 organizations, requests/s ÷ unchained': { atLeast: 0.9 },
    'brandings of 200 organizations, CPU ÷ unchained': { atMost: 1.1 },
    'events of one organization, requests/s ÷ unchained': { atLeast: 0.8 },
  },
  run: (bench) =>
    withService({ databaseUrl: bench.database.url }, async (service) => {
      const accounts = await insertTemporaryOrganizations(bench.database.client, organizations)
      const accountOf = (number: number) => accounts[number % accounts.length] as Account
      const brandings = await compare(bench, service, `branding, ${organizations} organizations`, {
        request: (number) => updateBranding(accountOf(number), number),
        expectedStatus: 200,
      })
      const events = await compare(bench, service, 'one event, one organization', {
        request: (number) => recordAuditEvents(accountOf(0), number),
        expectedStatus: 201,
      })
      return {
        title: `events with and without the chain, ${writers} writers`,
        rows: [...brandings.rows, ...events.rows],
        figures: {
          'brandings of 200 organizations, requests/s ÷ unchained': brandings.throughput,
          'brandings of 200 organizations, CPU ÷ unchained': brandings.cpu,
          'events of one organization, requests/s ÷ unchained': events.throughput,
        },
      }
    }),
})
