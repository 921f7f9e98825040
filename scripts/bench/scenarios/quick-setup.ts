import { send } from '../client.js'
import type { LoadRequest } from '../load.js'
import type { Goal } from '../report.js'
import { applyQuickSetup, previewQuickSetup, rollbackQuickSetup } from '../requests.js'
import type { Scenario, Tenant } from '../setting.js'
import { withService } from '../sides.js'
import { percentile, ratio } from '../statistics.js'
import { insertTemporaryOrganizations } from '../temporary.js'

const teamSize = 50
const mostMs = 150
const mostPreview = 0.7
const samplesPerRound = 10
const warmUps = 5

const acts = ['preview', 'first time', 'preview again', 'once more', 'rollback'] as const
type Act = (typeof acts)[number]

/** How long an administrator waits for the largest team: in a new organization, and once more. */
export const quickSetup: Scenario = {
  name: 'quick-setup',
  run: ({ options, database }) =>
    withService(database.url, async ({ url }) => {
      const samples = samplesPerRound * options.rounds
      const tenants = await insertTemporaryOrganizations(database.client, warmUps + samples)
      const times = new Map<Act, number[]>(acts.map((act) => [act, []]))
      async function take(act: Act, request: LoadRequest): Promise<string> {
        const { body, milliseconds } = await send(url, request, 200)
        const { _id, character_ids } = body as { _id: string; character_ids: string[] }
        if (character_ids.length !== teamSize) throw new Error('The team is not complete')
        times.get(act)?.push(milliseconds)
        return _id
      }
      async function play(tenant: Tenant): Promise<void> {
        await take('preview', previewQuickSetup(tenant, teamSize))
        await take('first time', applyQuickSetup(tenant, teamSize))
        await take('preview again', previewQuickSetup(tenant, teamSize))
        const _id = await take('once more', applyQuickSetup(tenant, teamSize))
        await take('rollback', rollbackQuickSetup(tenant, _id))
      }
      for (const tenant of tenants) await play(tenant)

      const p50 = (act: Act) => percentile(times.get(act)?.slice(warmUps) ?? [], 0.5)
      const applied: Goal[] = (['first time', 'once more'] as const).map((act) => {
        return { what: `p50, ${act}`, value: p50(act), atMost: mostMs, unit: ' ms' }
      })
      const previewed: Goal[] = [
        { what: 'preview ÷ apply, first time', value: ratio(p50('preview'), p50('first time')) },
        {
          what: 'preview ÷ apply, once more',
          value: ratio(p50('preview again'), p50('once more')),
        },
      ].map((goal) => ({ ...goal, atMost: mostPreview }))
      const rows = acts.map((act) => ({
        setup: act,
        requests: samples,
        'p50 ms': p50(act),
        'p99 ms': percentile(times.get(act)?.slice(warmUps) ?? [], 0.99),
      }))
      return {
        title: `quick setup with a team of ${teamSize}`,
        rows,
        goals: [...applied, ...previewed],
      }
    }),
}
