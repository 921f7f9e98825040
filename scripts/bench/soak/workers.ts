import { residentBytes, startedBy } from '../measuring/process-meters.js'
import { median } from '../measuring/statistics.js'

/** The processes that serve, which the process of the service has started. */
export class Workers {
  readonly #samples: { at: number; megabytes: number }[] = []

  constructor(readonly pid: number) {}

  /** Kills one of them as a crash would. */
  killOne(): void {
    const pids = startedBy(this.pid)
    const pid = pids[Math.floor(Math.random() * pids.length)]
    if (pid !== undefined) process.kill(pid, 'SIGKILL')
  }

  look(): void {
    const at = performance.now()
    for (const pid of startedBy(this.pid)) {
      const { now } = residentBytes(pid)
      if (now !== null) this.#samples.push({ at, megabytes: now / 1e6 })
    }
  }

  /** Returns what they held in each quarter of the time. */
  quarters(): { median: number | null; max: number }[] {
    const from = this.#samples[0]?.at ?? 0
    const length = ((this.#samples.at(-1)?.at ?? 0) - from) / 4
    return [0, 1, 2, 3].map((quarter) => {
      const start = from + quarter * length
      const held = this.#samples.filter(({ at }) => at >= start && at <= start + length)
      const megabytes = held.map((sample) => sample.megabytes)
      return { median: median(megabytes), max: Math.max(0, ...megabytes) }
    })
  }
}
