export interface Repetition {
  start(): void
  /** Ends as soon as no work is under way. */
  stop(): Promise<void>
}

/**
 * Does work beside the requests: first after a while, then again and again with a pause after each
 * time. The work is told when it should come to its end, and never rejects.
 */
export function repeat(
  work: (isStopped: () => boolean) => Promise<void>,
  { firstMs, pauseMs }: { firstMs: number; pauseMs: number },
): Repetition {
  let timer: NodeJS.Timeout | undefined
  let working = Promise.resolve()
  let isStopped = false

  function wait(ms: number): void {
    timer = setTimeout(() => {
      working = work(() => isStopped).then(() => {
        if (!isStopped) wait(pauseMs)
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
