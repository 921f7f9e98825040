import { fork } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Account } from '../accounts.js'
import { registerAccount } from '../fairness/scenery.js'
import type { Statuses, Storm } from '../fairness/storm.js'
import { selectStorms } from '../fairness/storms.js'

interface Plan {
  url: string
  only: string[]
  seconds: number
  isSmall: boolean
}

type News =
  | { begins: string }
  | { ended: string; statuses: [number, number][]; fault: string | null; account: Account | null }

/** The answers and faults of all turns of one storm. */
interface StormTurns {
  answers: Statuses
  faults: string[]
}

export interface Storms {
  /** Keyed by the storm's name. */
  turns: Map<string, StormTurns>
  accounts: Account[]
  stop(): void
}

/** How many turns each storm has, so that the quarters of the soak are alike. */
const rounds = 4
const longestSeconds = 30
const maxBytes = 2e9
const file = fileURLToPath(import.meta.url)

/** Starts the process that storms, and collects its reports. */
export function startStorms(
  plan: { url: string; only: string[]; minutes: number; isSmall: boolean },
  onBegin: (storm: string) => void,
): Storms {
  const share = (plan.minutes * 60) / selectStorms(plan.only).length / rounds
  const seconds = Math.min(longestSeconds, Math.max(2, share))
  const child = fork(file, ['storm'], { env: { PATH: process.env.PATH } })
  const storms: Storms = { turns: new Map(), accounts: [], stop: () => child.kill('SIGKILL') }
  child.on('message', (news: News) => {
    if ('begins' in news) return onBegin(news.begins)
    const { answers, faults }: StormTurns = storms.turns.get(news.ended) ?? {
      answers: new Map(),
      faults: [],
    }
    for (const [status, count] of news.statuses) {
      answers.set(status, (answers.get(status) ?? 0) + count)
    }
    if (news.fault) faults.push(news.fault)
    storms.turns.set(news.ended, { answers, faults })
    if (news.account) storms.accounts.push(news.account)
  })
  child.once('exit', (code: number | null) => {
    if (code) throw new Error(`The process that storms ended with ${code}`)
  })
  process.once('exit', storms.stop)
  child.send({ ...plan, seconds } satisfies Plan)
  return storms
}

async function stormOnce(storm: Storm, { url, seconds, isSmall }: Plan): Promise<News> {
  const ended = storm.name
  let account: Account | null = null
  try {
    account = await registerAccount(url)
    const storming = await storm.prepare({ url, account, isSmall })
    const statuses = await storming(AbortSignal.timeout(seconds * 1_000))
    return { ended, statuses: [...statuses], fault: null, account }
  } catch (error) {
    // A kill or a quota has ended the preparation.
    return { ended, statuses: [], fault: String(error).slice(0, 200), account }
  }
}

/** Runs every storm in turn, each with a new organization, until the process is killed. */
async function stormInTurns(plan: Plan): Promise<void> {
  for (;;) {
    for (const storm of selectStorms(plan.only)) {
      process.send?.({ begins: storm.name } satisfies News)
      process.send?.(await stormOnce(storm, plan))
      if (process.memoryUsage().rss > maxBytes) throw new Error('The storms need too much memory')
      await sleep(1_000)
    }
  }
}

if (process.argv[1] === file && process.argv[2] === 'storm') {
  process.once('message', (plan: Plan) => void stormInTurns(plan))
  process.once('disconnect', () => process.exit())
}
