import { send } from '../client.js'
import { tenants as generated } from '../data/tenants.js'
import { memoryGrowth } from '../measuring/process-meters.js'
import { median, ratio } from '../measuring/statistics.js'
import { type Side, withService } from '../processes.js'
import type { Findings } from '../report.js'
import { exportAuditEvents, verifyAuditTrail } from '../requests.js'
import { type Bench, defineScenario } from '../scenario.js'

const eventsIn = ({ options }: Bench) => Math.min(options.events, generated.auditMillion.most)

type Row = Record<'round' | 'seconds' | 'events/s' | 'memory MiB', number | null>

/** Does something with a whole trail in every round, after one to warm up. */
function measureTrail<What extends string>(
  bench: Bench,
  title: string,
  {
    work,
    figures,
  }: { work(side: Side): Promise<void>; figures(rows: Row[]): Record<What, number | null> },
): Promise<Findings<What>> {
  return withService({ databaseUrl: bench.database.url }, async (service) => {
    const rows: Row[] = []
    for (let round = 0; round <= bench.options.rounds; round++) {
      let seconds = 0
      const growth = await memoryGrowth(service.pid, async () => {
        const startedAt = performance.now()
        await work(service)
        seconds = (performance.now() - startedAt) / 1_000
      })
      const rate = ratio(eventsIn(bench), seconds)
      if (round > 0)
        rows.push({ round, seconds, 'events/s': rate, 'memory MiB': growth && growth / 2 ** 20 })
    }
    const events = eventsIn(bench).toLocaleString('en')
    return { title: `${title} of ${events} audit events`, rows, figures: figures(rows) }
  })
}

const middle = (rows: Row[], name: keyof Row) => median(rows.map((row) => row[name]))

const lineFeed = 10

/** Reads an export and keeps only its last line, which must count all lines before it. */
async function readExport(bench: Bench, { url }: Side): Promise<void> {
  const { path, headers } = exportAuditEvents(bench.tenants.auditMillion)
  const response = await fetch(url + path, {
    headers: { ...headers, 'accept-encoding': 'identity' },
  })
  if (response.status !== 200) throw new Error(`The export answered ${response.status}`)
  let lines = 0
  let tail = Buffer.alloc(0)
  for await (const chunk of response.body ?? []) {
    for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, at + 1)) lines++
    tail = Buffer.concat([tail, chunk]).subarray(-2_000)
  }
  const last = tail.toString().trimEnd().split('\n').at(-1) ?? ''
  const { end, count } = JSON.parse(last)
  if (end !== true || count !== lines - 1 || count < eventsIn(bench)) {
    throw new Error(`An export of ${lines} lines ends with ${last}`)
  }
}

export const auditExport = defineScenario({
  name: 'audit-export',
  question: 'Is a large export fast, and does the memory of the service stay small?',
  goals: { 'events/s': { atLeast: 40_000 }, memory: { atMost: 64, unit: ' MiB' } },
  run: (bench) =>
    measureTrail(bench, 'export', {
      work: (side) => readExport(bench, side),
      figures: (rows) => ({
        'events/s': middle(rows, 'events/s'),
        memory: middle(rows, 'memory MiB'),
      }),
    }),
})

async function verify(bench: Bench, { url }: Side): Promise<void> {
  const { body } = await send(url, verifyAuditTrail(bench.tenants.auditMillion), 200)
  const { valid, events } = Object(body)
  if (!valid || events < eventsIn(bench)) {
    throw new Error(`The generated trail is not valid: ${JSON.stringify(body)}`)
  }
}

export const auditVerify = defineScenario({
  name: 'audit-verify',
  question: 'Is a long trail verified in seconds, and does the memory of the service stay small?',
  goals: { seconds: { atMost: 20, unit: ' s' }, memory: { atMost: 64, unit: ' MiB' } },
  run: (bench) =>
    measureTrail(bench, 'verification', {
      work: (side) => verify(bench, side),
      figures: (rows) => ({ seconds: middle(rows, 'seconds'), memory: middle(rows, 'memory MiB') }),
    }),
})
