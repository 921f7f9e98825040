import { setTimeout as sleep } from 'node:timers/promises'
import { type Account, registerAccount } from '../fairness/arena.js'
import type { Storm } from '../fairness/storm.js'
import { chosenStorms } from '../fairness/storms.js'

/** What the process that storms is told. */
export interface StormPlan {
  url: string
  only: string[]
  seconds: number
  isSmall: boolean
}

/** What it tells: that a storm begins, or how it ended. */
export type StormNews =
  | { begins: string }
  | { ended: string; statuses: [number, number][]; fault: string | null; account: Account | null }

/** The most memory that this process may take. */
const mostBytes = 2e9
const pauseMs = 1_000

async function stormOnce(storm: Storm, plan: StormPlan): Promise<StormNews> {
  const { name: ended } = storm
  let account: Account | null = null
  try {
    const { url, seconds, isSmall } = plan
    account = await registerAccount(url)
    const storming = await storm.prepare({ url, stormer: account, isSmall })
    const statuses = await storming(AbortSignal.timeout(seconds * 1_000))
    return { ended, statuses: [...statuses], fault: null, account }
  } catch (error) {
    // A kill or a quota has ended what prepares it.
    return { ended, statuses: [], fault: String(error).slice(0, 200), account }
  }
}

/** Every storm in turn, each by an organization of its own, until the process is ended. */
async function stormInTurns(plan: StormPlan): Promise<void> {
  for (;;) {
    for (const storm of chosenStorms(plan.only)) {
      process.send?.({ begins: storm.name } satisfies StormNews)
      process.send?.(await stormOnce(storm, plan))
      if (process.memoryUsage().rss > mostBytes) throw new Error('The storms need too much memory')
      await sleep(pauseMs)
    }
  }
}

process.once('message', (plan: StormPlan) => {
  void stormInTurns(plan).catch((error) => {
    console.error(error)
    process.exit(1)
  })
})
// Not without the process that started it.
process.once('disconnect', () => process.exit())
