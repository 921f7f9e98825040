import { setTimeout as sleep } from 'node:timers/promises'
import { resetPeak, residentBytes } from '../process-meters.js'
import type { Side } from '../sides.js'

const lookMs = 100
const settleMs = 1_000

/** So that a service without a bound takes only itself down, and not the machine. */
const killAtBytes = 6e9

/** Watches what a process holds at most, and kills it when it holds far too much. */
export function watchMemory(service: Side) {
  resetPeak(service.pid)
  let most = 0
  const look = () => {
    const { now, peak } = residentBytes(service.pid)
    most = Math.max(most, peak ?? 0)
    if (now !== null && now > killAtBytes) void service.stop('SIGKILL')
  }
  const timer = setInterval(look, lookMs)
  return {
    /** The most that it held, in bytes. */
    stop(): number {
      clearInterval(timer)
      look()
      return most
    },
  }
}

export interface Recovery {
  /** What it holds then, in bytes; null where it has died. */
  after: number | null
  afterMs: number
}

/** Waits until a process holds little enough again, or for as long as it may take. */
export async function recover(
  { pid }: Side,
  { upTo, withinMs }: { upTo: number; withinMs: number },
): Promise<Recovery> {
  const startedAt = performance.now()
  for (;;) {
    await sleep(settleMs)
    const { now: after } = residentBytes(pid)
    const afterMs = performance.now() - startedAt
    if (after === null || after <= upTo || afterMs >= withinMs) return { after, afterMs }
  }
}
