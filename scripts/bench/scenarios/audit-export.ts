import { setTimeout as sleep } from 'node:timers/promises'
import { send } from '../client.js'
import { tenants as generated } from '../data/tenants.js'
import { checkComplete, readExport } from '../export-reader.js'
import { applyLoad } from '../load.js'
import { memoryGrowth } from '../process-meters.js'
import type { Goal } from '../report.js'
import { exportAuditEvents, listUsers } from '../requests.js'
import type { Scenario, Setting } from '../setting.js'
import { type Side, withService } from '../sides.js'
import { stallReading } from '../stalled-reader.js'
import { median, percentile, ratio } from '../statistics.js'

const leastEventsPerSecond = 40_000
const mostMebibytes = 64
const mostSlowdown = 3
const others = 4
/** Between the lists of users that are read beside a client that stops reading. */
const pauseMs = 20
const cut = { atLeast: 20, atMost: 45 }

const eventsOf = ({ options }: Setting) => Math.min(options.events, generated.auditMillion.most)

async function exportOnce(setting: Setting, { url }: Side) {
  const read = await readExport(url, exportAuditEvents(setting.tenants.auditMillion))
  checkComplete(read, eventsOf(setting))
  return read
}

/** What others wait for, while nothing else happens or beside one export after the other. */
async function readBeside(setting: Setting, service: Side) {
  const readUsers = () =>
    applyLoad({
      url: service.url,
      requestsOf: () => [listUsers(setting.tenants.users10)],
      connections: others,
      seconds: setting.options.seconds,
      expectedStatus: 200,
    })
  const quiet = await readUsers()
  let isOver = false
  async function keepExporting(): Promise<void> {
    do await exportOnce(setting, service)
    while (!isOver)
  }
  const exporting = keepExporting()
  const beside = await readUsers()
  isOver = true
  await exporting
  return { quiet, beside }
}

async function measureRounds(setting: Setting, service: Side) {
  const rows = []
  for (let round = -1; round < setting.options.rounds; round++) {
    let exported: Awaited<ReturnType<typeof exportOnce>> | undefined
    const growth = await memoryGrowth(service.pid, async () => {
      exported = await exportOnce(setting, service)
    })
    const { quiet, beside } = await readBeside(setting, service)
    // The first one warms up.
    if (round < 0 || !exported) continue
    rows.push({
      round: round + 1,
      seconds: exported.milliseconds / 1_000,
      MB: exported.bytes / 1e6,
      'events/s': (exported.lines * 1_000) / exported.milliseconds,
      'memory MiB': growth && growth / 2 ** 20,
      'quiet p99 ms': quiet.p99,
      'beside p99 ms': beside.p99,
    })
  }
  return rows
}

/** One who stops reading, while others read users and one of them a whole export. */
async function stall(setting: Setting, service: Side) {
  const times: number[] = []
  let isOver = false
  const { auditMillion, users10 } = setting.tenants
  const stalling = stallReading(service.url, exportAuditEvents(auditMillion)).finally(() => {
    isOver = true
  })
  async function keepAsking(): Promise<void> {
    while (!isOver) {
      times.push((await send(service.url, listUsers(users10), 200)).milliseconds)
      await sleep(pauseMs)
    }
  }
  const [{ cutAfterMs, text }] = await Promise.all([
    stalling,
    keepAsking(),
    exportOnce(setting, service),
  ])
  if (text.includes('"end":true')) throw new Error('Who did not read was given everything')
  return { cutAfterMs, megabytes: text.length / 1e6, times }
}

/** Whether a large export is quick, costs neither memory nor the others their time, and ends. */
export const auditExport: Scenario = {
  name: 'audit-export',
  run: (setting) =>
    withService(setting.database.url, async (service) => {
      const rows = await measureRounds(setting, service)
      const { cutAfterMs, megabytes, times } = await stall(setting, service)
      const middle = (column: keyof (typeof rows)[number]) =>
        median(rows.map((row) => row[column] ?? null))
      const goals: Goal[] = [
        { what: 'events/s', value: middle('events/s'), atLeast: leastEventsPerSecond },
        { what: 'memory', value: middle('memory MiB'), atMost: mostMebibytes, unit: ' MiB' },
        {
          what: 'p99 of users beside it ÷ quiet',
          value: ratio(middle('beside p99 ms'), middle('quiet p99 ms')),
          atMost: mostSlowdown,
        },
        {
          what: 'a client that stops reading is cut off after',
          value: cutAfterMs && cutAfterMs / 1_000,
          ...cut,
          unit: ' s',
        },
      ]
      const title = `export of ${eventsOf(setting).toLocaleString('en')} events, users beside it`
      const waited = percentile(times, 0.99)?.toFixed(1)
      const notes = [
        `The end line of every export agreed with its lines.`,
        `Beside the client that stopped reading after ${megabytes.toFixed(1)} MB another one exported`,
        `everything, and ${times.length} lists of users were answered, p99 ${waited} ms.`,
      ]
      return { title, rows, goals, notes }
    }),
}
