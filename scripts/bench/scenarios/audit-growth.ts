import { applyLoad } from '../load.js'
import type { Goal } from '../report.js'
import * as requests from '../requests.js'
import type { Scenario, Setting, Tenant } from '../setting.js'
import { type Side, withService } from '../sides.js'
import { median, ratio } from '../statistics.js'

/** Rare values are asked for twenty rows, which both histories have: the answers are of one size. */
const fewRows = { limit: '20' }
const variants: [what: string, query: Record<string, string>][] = [
  ['no filter', {}],
  ['category, common', { category: 'simulation' }],
  ['category, rare', { category: 'security', ...fewRows }],
  ['event_type, common', { event_type: 'message_sent' }],
  ['event_type, rare', { event_type: 'permission_denied', ...fewRows }],
  ['status, common', { status: 'info' }],
  ['status, rare', { status: 'warning', ...fewRows }],
]

const mostGrowth = 1.3
const mostSpread = 3
const crowd = 256

async function measure(service: Side, setting: Setting, tenant: Tenant, query = {}, seconds = 0) {
  return applyLoad({
    url: service.url,
    requestsOf: () => [requests.listAuditEvents(tenant, query)],
    connections: setting.options.connections,
    seconds: seconds || setting.options.seconds,
    expectedStatus: 200,
  })
}

/** Whether the listing takes longer when the history is five hundred times as long. */
export const auditGrowth: Scenario = {
  name: 'audit-growth',
  run: (setting) =>
    withService(setting.database.url, async (service) => {
      const { options, tenants } = setting
      await measure(service, setting, tenants.auditMost)
      const rows = []
      const goals: Goal[] = []
      for (const [what, query] of variants) {
        const few: (number | null)[] = []
        const many: (number | null)[] = []
        for (let round = 0; round < options.rounds; round++) {
          few.push((await measure(service, setting, tenants.audit10000, query)).p50)
          many.push((await measure(service, setting, tenants.auditMost, query)).p50)
        }
        const [before, after] = [median(few), median(many)]
        rows.push({
          filter: what,
          'p50 ms at 10,000': before,
          [`p50 ms at ${options.events.toLocaleString('en')}`]: after,
        })
        goals.push({ what, value: ratio(after, before), atMost: mostGrowth })
      }
      return { title: 'audit listing as the history grows', rows, goals }
    }),
}

/** Whether many callers at once share the time fairly. */
export const auditCrowd: Scenario = {
  name: 'audit-crowd',
  run: ({ options, database, tenants }) =>
    withService(database.url, async (service) => {
      const rows = []
      for (let round = -1; round < options.rounds; round++) {
        const { requestsPerSecond, p50, p99 } = await applyLoad({
          url: service.url,
          requestsOf: () => [requests.listAuditEvents(tenants.auditMost)],
          connections: crowd,
          seconds: options.seconds,
          expectedStatus: 200,
        })
        // The first one warms up.
        if (round < 0) continue
        const measured = { 'requests/s': requestsPerSecond, 'p50 ms': p50, 'p99 ms': p99 }
        rows.push({ round: round + 1, ...measured, 'p99 ÷ p50': ratio(p99, p50) })
      }
      const value = median(rows.map((row) => row['p99 ÷ p50']))
      return {
        title: `audit events, 100 rows, ${crowd} connections`,
        rows,
        goals: [{ what: `p99 ÷ p50, ${crowd} connections`, value, atMost: mostSpread }],
      }
    }),
}
