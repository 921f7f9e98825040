import { send } from '../client.js'
import type { Goal } from '../report.js'
import { applyQuickSetup } from '../requests.js'
import type { Scenario, Tenant } from '../setting.js'
import { withService } from '../sides.js'
import { percentile } from '../statistics.js'
import { insertTemporaryOrganizations } from '../temporary.js'

const teamSize = 50
const mostMs = 150
const samplesPerRound = 10
const warmUps = 5

/** How long an administrator waits for the largest team, in a new organization and once more. */
export const quickSetup: Scenario = {
  name: 'quick-setup',
  run: ({ options, database }) =>
    withService(database.url, async ({ url }) => {
      const samples = samplesPerRound * options.rounds
      const tenants = await insertTemporaryOrganizations(database.client, warmUps + samples)
      const apply = async (tenant: Tenant) => {
        const { body, milliseconds } = await send(url, applyQuickSetup(tenant, teamSize), 200)
        const { character_ids } = body as { character_ids: string[] }
        if (character_ids.length !== teamSize) throw new Error('The team is not complete')
        return milliseconds
      }
      const first: number[] = []
      const again: number[] = []
      for (const [index, tenant] of tenants.entries()) {
        const times = [await apply(tenant), await apply(tenant)] as const
        if (index < warmUps) continue
        first.push(times[0])
        again.push(times[1])
      }
      const named = [
        ['first time', first],
        ['once more', again],
      ] as const
      const goals: Goal[] = named.map(([what, times]) => {
        return { what: `p50, ${what}`, value: percentile(times, 0.5), atMost: mostMs, unit: ' ms' }
      })
      const rows = named.map(([setup, times]) => ({
        setup,
        requests: times.length,
        'p50 ms': percentile(times, 0.5),
        'p99 ms': percentile(times, 0.99),
      }))
      return { title: `quick setup with a team of ${teamSize}`, rows, goals }
    }),
}
