import { type Clock, steadyClock } from './clock.js'

export interface Repetition {
  start(): void
  /** Starts no more runs, and waits for the current one. */
  stop(): Promise<void>
  /** How long ago the work last made progress; 0 before the start. */
  quietMs(): number
}

/** `pauseMs` counts from the end of a run to the next start, `periodMs` from start to start. */
type Schedule = { firstMs: number } & ({ pauseMs: number } | { periodMs: number })

/**
 * Runs background work again and again. Between its items the work must call `isStopped`, which also
 * records its progress. The work must never reject.
 */
export function repeat(
  work: (isStopped: () => boolean) => Promise<void>,
  { firstMs, ...schedule }: Schedule,
  clock: Clock = steadyClock,
): Repetition {
  let timer: NodeJS.Timeout | undefined
  let working = Promise.resolve()
  let isStopped = false
  let progressAt: number | undefined

  function noteProgress(): boolean {
    progressAt = clock()
    return isStopped
  }

  function wait(ms: number): void {
    noteProgress()
    timer = setTimeout(() => {
      const startedAt = performance.now()
      working = work(noteProgress).then(() => {
        if (isStopped) return
        const took = performance.now() - startedAt
        wait('pauseMs' in schedule ? schedule.pauseMs : Math.max(0, schedule.periodMs - took))
      })
    }, ms).unref()
  }

  return {
    start: () => wait(firstMs),
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await working
    },
    quietMs: () => (progressAt === undefined ? 0 : clock() - progressAt),
  }
}
