import type pg from 'pg'
import { selectEventSample } from '../event-samples.js'
import { applyLoad } from '../load.js'
import type { Goal } from '../report.js'
import * as requests from '../requests.js'
import type { Scenario, Setting, Tenant } from '../setting.js'
import { type Side, withService } from '../sides.js'
import { median, ratio } from '../statistics.js'

/** Rare values are asked for twenty rows, which both histories have: the answers are of one size. */
const fewRows = { limit: '20' }
type Variant = [what: string, query: Record<string, string>]
const variants: Variant[] = [
  ['no filter', {}],
  ['category, common', { category: 'simulation' }],
  ['category, rare', { category: 'security', ...fewRows }],
  ['event_type, common', { event_type: 'message_sent' }],
  ['event_type, rare', { event_type: 'permission_denied', ...fewRows }],
  ['status, common', { status: 'info' }],
  ['status, rare', { status: 'warning', ...fewRows }],
]

/** How far back the event is that is filtered for, so that there are as many like it in both. */
const sampleBack = 2_000
const dayMs = 24 * 60 * 60 * 1_000

/** What an event of a history can be found by, and by any two of it. */
async function variantsOf(client: pg.Client, tenant: Tenant): Promise<Variant[]> {
  const { created_at, thread_id, request_id, ...usual } = await selectEventSample(
    client,
    tenant,
    sampleBack,
  )
  const { actor_id, case_id, conversation_id, channel_id } = usual
  const until = { until: created_at.toISOString() }
  const since = { since: new Date(created_at.getTime() - 40 * dayMs).toISOString() }
  const few = Object.entries<Record<string, string>>({
    actor_id: { actor_id },
    case_id: { case_id },
    conversation_id: { conversation_id },
    channel_id: { channel_id },
    since,
    until,
    'since + until': { ...since, ...until },
    'actor_id + case_id': { actor_id, case_id },
    'case_id + channel_id': { case_id, channel_id },
    'channel_id + status, common': { channel_id, status: 'info' },
    'category, common + until': { category: 'simulation', ...until },
    'conversation_id + event_type, common': { conversation_id, event_type: 'message_sent' },
  }).map(([what, query]): Variant => [what, { ...query, ...fewRows }])
  return [
    ...variants,
    ...few,
    // Of a thread there are about ten.
    ['thread_id', { thread_id, limit: '5' }],
    ['thread_id + conversation_id', { thread_id, conversation_id, limit: '5' }],
    ['request_id', { request_id }],
  ]
}

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
      const { client } = setting.database
      await measure(service, setting, tenants.auditMost)
      const rows = []
      const goals: Goal[] = []
      const [inFew, inMany] = await Promise.all(
        [tenants.audit10000, tenants.auditMost].map((tenant) => variantsOf(client, tenant)),
      )
      for (const [index, [what, query]] of (inFew ?? []).entries()) {
        const few: (number | null)[] = []
        const many: (number | null)[] = []
        for (let round = 0; round < options.rounds; round++) {
          few.push((await measure(service, setting, tenants.audit10000, query)).p50)
          many.push((await measure(service, setting, tenants.auditMost, inMany?.[index]?.[1])).p50)
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
