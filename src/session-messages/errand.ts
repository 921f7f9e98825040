export interface Errand {
  run(): void
  settled(): Promise<void>
}

/**
 * Work that nobody waits for, and that is not done twice at once: who asks for it meanwhile has it
 * done again after that.
 */
export function errand(work: () => Promise<void>, onError: (error: unknown) => void): Errand {
  let underWay: Promise<void> | undefined
  let isWanted = false

  function run(): void {
    if (underWay) {
      isWanted = true
      return
    }
    underWay = work()
      .catch(onError)
      .finally(() => {
        underWay = undefined
        if (isWanted) run()
      })
    isWanted = false
  }

  return { run, settled: async () => underWay }
}
