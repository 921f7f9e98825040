import { applyLoad } from '../load.js'
import { applyOpenLoop } from '../open-loop.js'
import { untilIdle } from '../process-meters.js'
import { listAuditEvents, registerAgainAndAgain } from '../requests.js'
import type { Scenario } from '../setting.js'
import { withService } from '../sides.js'
import { median, ratio } from '../statistics.js'

const registering = 16
const readsPerSecond = 100
const mostSlowdown = 3
const leastRegistrations = 0.7

/** Whether a storm of registrations stalls the reads, or the reads the registrations. */
export const hashing: Scenario = {
  name: 'hashing',
  run: ({ options: { rounds, seconds }, database, tenants }) =>
    withService(database.url, async ({ url, pid }) => {
      const read = () =>
        applyOpenLoop({
          url,
          request: listAuditEvents(tenants.audit1),
          rate: readsPerSecond,
          seconds,
        })
      const register = async () => {
        const result = await applyLoad({
          url,
          requestsOf: registerAgainAndAgain,
          connections: registering,
          seconds,
          expectedStatus: 201,
          refusedStatus: 503,
        })
        await untilIdle(pid)
        return result
      }
      const rows = []
      for (let round = -1; round < rounds; round++) {
        const quiet = await read()
        const alone = await register()
        const [reads, beside] = await Promise.all([read(), register()])
        // The first one warms up.
        if (round < 0) continue
        rows.push({
          round: round + 1,
          'quiet p50 ms': quiet.p50,
          'quiet p99 ms': quiet.p99,
          'beside p50 ms': reads.p50,
          'beside p99 ms': reads.p99,
          'p99 ratio': ratio(reads.p99, quiet.p99),
          'registrations/s alone': alone.requestsPerSecond,
          'beside the reads': beside.requestsPerSecond,
          share: ratio(beside.requestsPerSecond, alone.requestsPerSecond),
          refused: alone.refused + beside.refused,
        })
      }
      const slowdown = ratio(
        median(rows.map((row) => row['beside p99 ms'])),
        median(rows.map((row) => row['quiet p99 ms'])),
      )
      const share = median(rows.map((row) => row.share))
      return {
        title: `${registering} clients register without pause, a cheap read ${readsPerSecond}/s beside`,
        rows,
        goals: [
          { what: 'p99 of the read ÷ its quiet p99', value: slowdown, atMost: mostSlowdown },
          {
            what: 'registrations ÷ their own maximum',
            value: share,
            atLeast: leastRegistrations,
          },
        ],
      }
    }),
}
