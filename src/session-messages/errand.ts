import { type Clock, steadyClock } from '../clock.js'

export interface Errand {
  run(): void
  settled(): Promise<void>
  /** How long it has been under way; 0 while it is not. */
  underWayMs(): number
}

/**
 * Work that nobody waits for, and that is not done twice at once: who asks for it meanwhile has it
 * done again after that.
 */
export function errand(
  work: () => Promise<void>,
  onError: (error: unknown) => void,
  clock: Clock = steadyClock,
): Errand {
  let underWay: Promise<void> | undefined
  let isWanted = false
  let begunAt = 0

  function run(): void {
    if (underWay) {
      isWanted = true
      return
    }
    begunAt = clock()
    underWay = work()
      .catch(onError)
      .finally(() => {
        underWay = undefined
        if (isWanted) run()
      })
    isWanted = false
  }

  return {
    run,
    settled: async () => underWay,
    underWayMs: () => (underWay ? clock() - begunAt : 0),
  }
}
