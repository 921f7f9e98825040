import type pg from 'pg'
import type { Account } from '../accounts.js'
import { applyLoad } from '../measuring/load.js'
import { median, ratio } from '../measuring/statistics.js'
import { type Side, withService } from '../processes.js'
import { listAuditEvents } from '../requests.js'
import { type Bench, defineScenario } from '../scenario.js'

type Query = Record<string, string>

/** How many rows of a rare value both histories have. A thread has about ten events. */
const fewRows = { limit: '20' }
const kinds: Record<string, Query> = {
  'no filter': {},
  'category, common': { category: 'simulation' },
  'category, rare': { category: 'security', ...fewRows },
  'event_type, common': { event_type: 'message_sent' },
  'event_type, rare': { event_type: 'permission_denied', ...fewRows },
  'status, common': { status: 'info' },
  'status, rare': { status: 'warning', ...fewRows },
}

/** The sample lies so far back that both histories have as many events like it. */
const sampleOffset = 2_000
const dayMs = 24 * 60 * 60 * 1_000

const selectSample = `
  select actor_id, request_id, case_id, conversation_id, channel_id, thread_id, created_at
  from audit_events where organization_id = $1 and case_id is not null
  order by created_at desc, _id desc offset $2 limit 1`

/** Returns the queries that find one event by each of its fields, and by some pairs of them. */
async function queriesFor(
  client: pg.Client,
  { organization_id }: Account,
): Promise<Record<string, Query>> {
  const { rows } = await client.query(selectSample, [organization_id, sampleOffset])
  const { created_at, actor_id, case_id, conversation_id, channel_id, thread_id, request_id } =
    rows[0]
  const until = { until: created_at.toISOString() }
  const since = { since: new Date(created_at.getTime() - 40 * dayMs).toISOString() }
  const found: Record<string, Query> = {
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
    thread_id: { thread_id },
    'thread_id + conversation_id': { thread_id, conversation_id },
    request_id: { request_id },
    'conversation_id + event_type, common': { conversation_id, event_type: 'message_sent' },
  }
  const few = Object.entries(found).map(([what, query]): [string, Query] => [
    what,
    { ...query, limit: query.thread_id ? '5' : '20' },
  ])
  return { ...kinds, ...Object.fromEntries(few) }
}

async function measureP50({ options }: Bench, { url }: Side, account: Account, query: Query) {
  const { connections, seconds } = options
  const request = listAuditEvents(account, query)
  const { p50 } = await applyLoad({ url, request, connections, seconds, expectedStatus: 200 })
  return p50
}

const goal = 'p50 in the long history ÷ at 10,000 events, worst filter'

export const auditGrowth = defineScenario({
  name: 'audit-growth',
  question: 'Does the list of audit events stay as fast when the history is 500 times as long?',
  goals: { [goal]: { atMost: 1.3 } },
  run: (bench) =>
    withService({ databaseUrl: bench.database.url }, async (service) => {
      const { options, tenants, database } = bench
      const { audit10000, auditMost } = tenants
      await measureP50(bench, service, auditMost, {})
      const inShort = await queriesFor(database.client, audit10000)
      const inLong = await queriesFor(database.client, auditMost)
      const rows = []
      for (const [what, query] of Object.entries(inLong)) {
        const times: Record<'short' | 'long', (number | null)[]> = { short: [], long: [] }
        for (let round = 0; round < options.rounds; round++) {
          times.short.push(await measureP50(bench, service, audit10000, inShort[what] ?? {}))
          times.long.push(await measureP50(bench, service, auditMost, query))
        }
        const [short, long] = [median(times.short), median(times.long)]
        const growth = ratio(long, short)
        rows.push({ filter: what, 'p50 ms at 10,000': short, 'p50 ms, long': long, growth })
      }
      const worst = Math.max(...rows.map(({ growth }) => growth ?? Infinity))
      const title = `audit events, 10,000 and ${options.events.toLocaleString('en')} of them`
      return { title, rows, figures: { [goal]: worst } }
    }),
})
