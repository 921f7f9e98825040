import { send } from '../client.js'
import { familiesOf, nameOf, type Query } from '../filter-families.js'
import { applyLoad } from '../load.js'
import { listAuditEvents } from '../requests.js'
import type { Scenario, Setting } from '../setting.js'
import { type Side, withService } from '../sides.js'
import { percentile } from '../statistics.js'

const mostMs = 20
/** How many of the slowest are measured once more, with one caller for as long as a turn takes. */
const slowestMeasured = 6
/** The quickest of so many counts: what disturbs the machine for a moment does not look slow. */
const passes = 3
/** The longest time that the sweep over one kind of combination may take. */
const sweepMs = 60_000

interface Timed {
  query: Query
  milliseconds: number
}

/** Asks for each combination, until the time is over. */
async function sweep({ url }: Side, { tenants }: Setting, queries: Query[]): Promise<Timed[]> {
  const timed: Timed[] = []
  const endsAt = performance.now() + sweepMs
  for (const query of queries) {
    if (performance.now() > endsAt) break
    let quickest = Infinity
    for (let pass = 0; pass < passes; pass++) {
      const { milliseconds } = await send(url, listAuditEvents(tenants.auditMost, query), 200)
      quickest = Math.min(quickest, milliseconds)
    }
    timed.push({ query, milliseconds: quickest })
  }
  return timed.sort((a, b) => b.milliseconds - a.milliseconds)
}

/** Whether any one to three filters stay quick in a long history: all are tried, the worst twice. */
export const auditFilters: Scenario = {
  name: 'audit-filters',
  run: (setting) =>
    withService(setting.database.url, async (service) => {
      const { options, tenants } = setting
      const rows = []
      const slowest: Timed[] = []
      const notes = []
      // Once for nothing, so that what is first is not slower for being first.
      for (let warming = 0; warming < 300; warming++) {
        await send(service.url, listAuditEvents(tenants.auditMost), 200)
      }
      for (const { what, queries } of await familiesOf(setting)) {
        const timed = await sweep(service, setting, queries)
        const times = timed.map(({ milliseconds }) => milliseconds)
        slowest.push(...timed.slice(0, slowestMeasured))
        rows.push(row(what, timed.length, times))
        const slow = times.filter((time) => time > mostMs).length
        if (slow > 0) notes.push(`${what}: ${slow} of them took longer than ${mostMs} ms.`)
        if (timed.length < queries.length) {
          notes.push(`${what}: no time for ${queries.length - timed.length} of them.`)
        }
      }
      slowest.sort((a, b) => b.milliseconds - a.milliseconds)
      const goals = []
      for (const { query } of slowest.slice(0, slowestMeasured)) {
        const { p50, p99, requests } = await applyLoad({
          url: service.url,
          requestsOf: () => [listAuditEvents(tenants.auditMost, query)],
          connections: 1,
          seconds: options.seconds,
          expectedStatus: 200,
        })
        const what = nameOf(query)
        rows.push({ filters: what, requests, 'p50 ms': p50, 'p99 ms': p99, 'slowest ms': null })
        goals.push({ what: `p99 of ${what}`, value: p99, atMost: mostMs, unit: ' ms' })
      }
      const events = options.events.toLocaleString('en')
      const title = `any one to three filters at ${events} events, one caller`
      return { title, rows, goals, notes }
    }),
}

function row(filters: string, requests: number, times: number[]) {
  return {
    filters,
    requests,
    'p50 ms': percentile(times, 0.5),
    'p99 ms': percentile(times, 0.99),
    'slowest ms': percentile(times, 1),
  }
}
