import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { withNewDatabases } from '../connections.js'
import { builtIn, registerAccount } from '../fairness/arena.js'
import type { Outcome } from '../report.js'
import { type Side, startSide } from '../sides.js'
import { Ledger } from './ledger.js'
import type { SoakOptions } from './options.js'
import { countInvalid, findLost } from './reckoning.js'
import { outcomeOf } from './report.js'
import { startStorms } from './storms.js'
import { Team } from './team.js'
import { Workers } from './workers.js'

const minuteMs = 60_000
const lookMs = 5_000
/** After the storms, for what they left to be done. */
const settleMs = 10_000

/** Tokens outlast the soak. */
const environment = { WEB_CONCURRENCY: '2', ACCESS_TOKEN_TTL: '172800' }

/** A port that stays the same when no process is there for a moment. */
async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return `${port}`
}

/** Soaks two processes of the service, and says what the honest organization met. */
export function soak(options: SoakOptions): Promise<Outcome> {
  return withNewDatabases([options.server], 'workplace_soak', async ([databaseUrl = '']) => {
    const PORT = await freePort()
    const other = { ...builtIn(options.service), environment: { ...environment, PORT } }
    const service = await startSide('2 processes', { databaseUrl }, other)
    try {
      return await soakService(service, options)
    } finally {
      await service.stop()
    }
  })
}

async function soakService(service: Side, options: SoakOptions): Promise<Outcome> {
  const { url } = service
  const ledger = new Ledger()
  const team = await Team.gather(url, await registerAccount(url), ledger)
  const workers = new Workers(service)
  const ending = AbortSignal.timeout(options.minutes * minuteMs)
  const storms = startStorms(url, options, (storm) => {
    team.storm = storm
  })
  const working = team.work(ending)
  await Promise.all([
    every(Math.min(minuteMs, (options.minutes * minuteMs) / 3), ending, () => {
      // Before the kill, so that nothing that it breaks is taken for unfair.
      ledger.noteKill(performance.now())
      workers.killOne()
    }),
    every(lookMs, ending, () => workers.look()),
  ])
  storms.child.kill('SIGKILL')
  await working
  await sleep(settleMs)
  // Where the service does not come back, nothing is known of them.
  const lost = await findLost(url, team, ledger).catch(() => null)
  const invalid = await countInvalid(url, [team.account, ...storms.accounts])
  const turns = [...storms.turns.values()]
  return outcomeOf({ ledger, workers, turns, lost, invalid, trails: storms.accounts.length + 1 })
}

/** Does something again and again until the signal comes. */
async function every(ms: number, signal: AbortSignal, act: () => void): Promise<void> {
  for (;;) {
    await sleep(ms, null, { signal }).catch(() => {})
    if (signal.aborted) return
    act()
  }
}
