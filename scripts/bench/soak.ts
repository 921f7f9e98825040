import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { serverUrl, withNewDatabases } from './database/connections.js'
import { registerAccount } from './fairness/scenery.js'
import { splitList } from './options.js'
import { type Side, startService } from './processes.js'
import { isMet, printFindings } from './report.js'
import { Ledger } from './soak/ledger.js'
import { requireLoopback } from './soak/loopback.js'
import { describeSoak, goals } from './soak/report.js'
import { startStorms } from './soak/storming.js'
import { makeTeam, work } from './soak/team.js'
import { countInvalid, findLost } from './soak/verification.js'
import { Workers } from './soak/workers.js'

const usage = `npm run soak -- [options]

  Two processes of the service on a PostgreSQL server of this machine (DATABASE_URL). One organization
  makes every storm in turn, another one reads and writes meanwhile, and one process a minute is
  killed. It makes a database workplace_soak there, and drops it.

  --minutes 60        how long
  --only <storm,…>    these storms only
  --service <folder>  soak the service that was built in another checkout
  --small             prepare little for each storm: does it work?`

const maxMinutes = 8 * 60
const minuteMs = 60_000
const lookMs = 5_000
/** After the storms, so that the service finishes what they left. */
const settleMs = 10_000
/** The verification after the storms may take so long. */
const maxExtraMinutes = 30

/** Finds a port that the service keeps while all its processes are down. */
async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return `${port}`
}

interface Options {
  minutes: number
  only: string[]
  isSmall: boolean
}

async function soak({ pid, url }: Side, { minutes, ...plan }: Options) {
  const ledger = new Ledger()
  const team = await makeTeam(url, await registerAccount(url), ledger)
  const workers = new Workers(pid)
  const ending = AbortSignal.timeout(minutes * minuteMs)
  const storms = startStorms({ url, minutes, ...plan }, (storm) => {
    team.storm = storm
  })
  await Promise.all([
    work(team, ending),
    every(Math.min(minuteMs, (minutes * minuteMs) / 3), ending, () => {
      // Before the kill, so that nothing that it breaks counts as unfair.
      ledger.kills.push(performance.now())
      workers.killOne()
    }),
    every(lookMs, ending, () => workers.look()),
    once(ending, 'abort').then(storms.stop),
  ])
  await sleep(settleMs)
  // Null when the service does not come back.
  const lost = await findLost(team).catch(() => null)
  const invalid = await countInvalid(url, [team.account, ...storms.accounts])
  return describeSoak({ ledger, workers, storms, lost, invalid })
}

async function every(ms: number, signal: AbortSignal, act: () => void): Promise<void> {
  for (;;) {
    await sleep(ms, null, { signal }).catch(() => {})
    if (signal.aborted) return
    act()
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '60' },
      only: { type: 'string', default: '' },
      service: { type: 'string' },
      small: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(usage)
  const minutes = Number(values.minutes)
  if (!(minutes > 0 && minutes <= maxMinutes)) {
    throw new Error(`--minutes must be a number above 0, at most ${maxMinutes}`)
  }
  const options = { minutes, only: splitList(values.only), isSmall: values.small }
  const server = requireLoopback(serverUrl())
  const timer = setTimeout(
    () => giveUp('The soak does not end'),
    (minutes + maxExtraMinutes) * minuteMs,
  )
  const findings = await withNewDatabases(
    [server],
    'workplace_soak',
    async ([databaseUrl = '']) => {
      // The tokens of the organizations outlast the soak.
      const environment = {
        WEB_CONCURRENCY: '2',
        ACCESS_TOKEN_TTL: '172800',
        PORT: await freePort(),
      }
      const service = await startService({ databaseUrl }, { from: values.service, environment })
      return soak(service, options).finally(() => service.stop())
    },
  )
  clearTimeout(timer)
  printFindings('soak', goals, findings)
  const entries = Object.entries(findings.figures)
  const areMet = entries.every(([what, figure]) => isMet(goals[what as keyof typeof goals], figure))
  if (!areMet) process.exitCode = 1
}

function giveUp(reason: string): never {
  console.error(reason)
  process.exit(1)
}

// So that the `exit` event ends the processes that were started.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130))

await main().catch((error: Error) => giveUp(error.message))
