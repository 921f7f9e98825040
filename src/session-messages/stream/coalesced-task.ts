import { type Clock, steadyClock } from '../../process/clock.js'

export interface CoalescedTask {
  run(): void
  settled(): Promise<void>
  /** How long the task has been running; 0 while it does not run. */
  underWayMs(): number
}

/**
 * Runs a task in the background, never twice at the same time. Calls that come while it runs share
 * one more run after it.
 */
export function coalesce(
  task: () => Promise<void>,
  onError: (error: unknown) => void,
  clock: Clock = steadyClock,
): CoalescedTask {
  let underWay: Promise<void> | undefined
  let isRequested = false
  let startedAt = 0

  function run(): void {
    if (underWay) {
      isRequested = true
      return
    }
    startedAt = clock()
    underWay = task()
      .catch(onError)
      .finally(() => {
        underWay = undefined
        if (isRequested) run()
      })
    isRequested = false
  }

  return {
    run,
    settled: async () => underWay,
    underWayMs: () => (underWay ? clock() - startedAt : 0),
  }
}
