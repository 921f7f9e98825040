import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Account } from '../fairness/arena.js'
import { chosenStorms } from '../fairness/storms.js'
import type { SoakOptions } from './options.js'
import type { StormNews, StormPlan } from './stormer.js'

/** Each storm comes several times, so that the quarters of the soak are alike. */
const rounds = 4
const longestStorm = 30

/** What all turns of a storm came to. */
export interface Turn {
  storm: string
  answers: Map<number, number>
  faults: string[]
}

interface Storms {
  child: ChildProcess
  /** The key is the storm's name. */
  turns: Map<string, Turn>
  accounts: Account[]
}

/** Starts the process that storms, and notes what it tells. */
export function startStorms(
  url: string,
  { only, minutes, small }: SoakOptions,
  onBegin: (storm: string) => void,
): Storms {
  const share = (minutes * 60) / chosenStorms(only).length / rounds
  const seconds = Math.min(longestStorm, Math.max(2, share))
  const file = fileURLToPath(new URL('./stormer.js', import.meta.url))
  const child = fork(file, [], { env: { PATH: process.env.PATH } })
  const storms: Storms = { child, turns: new Map(), accounts: [] }
  child.on('message', (news: StormNews) => {
    if ('begins' in news) onBegin(news.begins)
    else noteEnd(storms, news)
  })
  process.once('exit', () => child.kill('SIGKILL'))
  void once(child, 'exit').then(([code]) => {
    if (code) throw new Error(`The process that storms ended with ${code}`)
  })
  child.send({ url, only, seconds, isSmall: small } satisfies StormPlan)
  return storms
}

function noteEnd({ turns, accounts }: Storms, news: Extract<StormNews, { ended: string }>): void {
  const { ended: storm, statuses, fault, account } = news
  const turn: Turn = turns.get(storm) ?? { storm, answers: new Map(), faults: [] }
  for (const [status, count] of statuses) {
    turn.answers.set(status, (turn.answers.get(status) ?? 0) + count)
  }
  if (fault) turn.faults.push(fault)
  turns.set(storm, turn)
  if (account) accounts.push(account)
}
