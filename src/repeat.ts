import { type Clock, steadyClock } from './clock.js'

export interface Repetition {
  start(): void
  /** Ends as soon as no work is under way. */
  stop(): Promise<void>
  /** How long ago the work last came round or got on; 0 while it is not started. */
  quietMs(): number
}

/** When work is done again: a while after its end, or a while after its beginning, if it is over by then. */
type Rhythm = { firstMs: number } & ({ pauseMs: number } | { periodMs: number })

/**
 * Does work beside the requests, first after a while and then again and again. The work asks between
 * its items whether it should come to its end, by which it is known to get on. It never rejects.
 */
export function repeat(
  work: (isStopped: () => boolean) => Promise<void>,
  { firstMs, ...rhythm }: Rhythm,
  clock: Clock = steadyClock,
): Repetition {
  let timer: NodeJS.Timeout | undefined
  let working = Promise.resolve()
  let isStopped = false
  let gotOnAt: number | undefined

  function getOn(): boolean {
    gotOnAt = clock()
    return isStopped
  }

  function wait(ms: number): void {
    getOn()
    timer = setTimeout(() => {
      const begun = performance.now()
      working = work(getOn).then(() => {
        if (isStopped) return
        const took = performance.now() - begun
        wait('pauseMs' in rhythm ? rhythm.pauseMs : Math.max(0, rhythm.periodMs - took))
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
    quietMs: () => (gotOnAt === undefined ? 0 : clock() - gotOnAt),
  }
}
