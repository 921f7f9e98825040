export interface Repetition {
  start(): void
  /** Ends as soon as no work is under way. */
  stop(): Promise<void>
}

/** When work is done again: a while after its end, or a while after its beginning, if it is over by then. */
type Rhythm = { firstMs: number } & ({ pauseMs: number } | { periodMs: number })

/**
 * Does work beside the requests, first after a while and then again and again. The work is told when
 * it should come to its end, and never rejects.
 */
export function repeat(
  work: (isStopped: () => boolean) => Promise<void>,
  { firstMs, ...rhythm }: Rhythm,
): Repetition {
  let timer: NodeJS.Timeout | undefined
  let working = Promise.resolve()
  let isStopped = false

  function wait(ms: number): void {
    timer = setTimeout(() => {
      const begun = performance.now()
      working = work(() => isStopped).then(() => {
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
  }
}
