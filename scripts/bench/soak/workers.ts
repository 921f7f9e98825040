import { residentBytes, startedBy } from '../process-meters.js'
import type { Goal } from '../report.js'
import type { Side } from '../sides.js'
import { median } from '../statistics.js'

const mostGrowth = 1.3

interface Sample {
  at: number
  pid: number
  bytes: number
}

/** The processes that a service keeps, what they hold and which of them are killed. */
export class Workers {
  readonly #samples: Sample[] = []
  readonly #service: Side

  constructor(service: Side) {
    this.#service = service
  }

  /** Kills one of them as a crash would, and returns whether there was one. */
  killOne(): boolean {
    const pids = startedBy(this.#service.pid)
    const pid = pids[Math.floor(Math.random() * pids.length)]
    if (pid === undefined) return false
    process.kill(pid, 'SIGKILL')
    return true
  }

  look(): void {
    const at = performance.now()
    for (const pid of [this.#service.pid, ...startedBy(this.#service.pid)]) {
      const { now } = residentBytes(pid)
      if (now !== null) this.#samples.push({ at, pid, bytes: now })
    }
  }

  /** What the processes that serve held in each quarter of the time. */
  quarters(): { quarter: number; 'median MB': number | null; 'most MB': number }[] {
    const serving = this.#samples.filter(({ pid }) => pid !== this.#service.pid)
    const from = serving[0]?.at ?? 0
    const length = ((serving.at(-1)?.at ?? 0) - from) / 4
    return [0, 1, 2, 3].map((quarter) => {
      const isIn = ({ at }: Sample) =>
        at >= from + quarter * length && at <= from + (quarter + 1) * length
      const megabytes = serving.filter(isIn).map(({ bytes }) => bytes / 1e6)
      const most = Math.max(0, ...megabytes)
      return { quarter: quarter + 1, 'median MB': median(megabytes), 'most MB': most }
    })
  }

  goal(): Goal {
    const [first, , , last] = this.quarters().map((one) => one['median MB'])
    const value = first && last ? last / first : null
    return { what: 'memory, last quarter ÷ first', value, atMost: mostGrowth }
  }
}
