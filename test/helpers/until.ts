import { setTimeout as wait } from 'node:timers/promises'

/** Waits for something that comes; long before a minute has passed it will not come any more. */
export async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
  const end = performance.now() + 60_000
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`It was never so: ${isSo}`)
    await wait(20)
  }
}
