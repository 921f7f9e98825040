import { send } from '../client.js'
import { tenants as generated } from '../data/tenants.js'
import { memoryGrowth } from '../process-meters.js'
import { verifyAuditTrail } from '../requests.js'
import type { Scenario, Setting } from '../setting.js'
import { type Side, withService } from '../sides.js'
import { median, ratio } from '../statistics.js'

const mostSeconds = 20
const mostMebibytes = 64

async function verifyOnce({ tenants }: Setting, { url }: Side, events: number): Promise<number> {
  const request = verifyAuditTrail(tenants.auditMillion)
  const { body, milliseconds } = await send(url, request, 200)
  const { valid, first_fault, ...found } = Object(body)
  if (!valid || first_fault !== null || found.events < events || found.sequence < events) {
    throw new Error(`The generated trail is not valid: ${JSON.stringify(body)}`)
  }
  return milliseconds
}

/** How long a long trail takes to be verified, and in how much memory. */
export const auditVerify: Scenario = {
  name: 'audit-verify',
  run: (setting) =>
    withService(setting.database.url, async (service) => {
      const { options } = setting
      const events = Math.min(options.events, generated.auditMillion.most)
      const rows = []
      for (let round = 1; round <= options.rounds; round++) {
        let milliseconds = 0
        const growth = await memoryGrowth(service.pid, async () => {
          milliseconds = await verifyOnce(setting, service, events)
        })
        rows.push({
          round,
          seconds: milliseconds / 1_000,
          'events/s': ratio(events * 1_000, milliseconds),
          'memory MiB': growth && growth / 2 ** 20,
        })
      }
      const seconds = median(rows.map((row) => row.seconds))
      const memory = median(rows.map((row) => row['memory MiB']))
      return {
        title: `verification of ${events.toLocaleString('en')} events, which is valid`,
        rows,
        goals: [
          { what: 'seconds', value: seconds, atMost: mostSeconds, unit: ' s' },
          { what: 'memory', value: memory, atMost: mostMebibytes, unit: ' MiB' },
        ],
      }
    }),
}
