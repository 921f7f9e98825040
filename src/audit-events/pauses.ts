import { setImmediate as turnOfEventLoop } from 'node:timers/promises'
import type { Clock } from '../repeat.js'

/** How long work may keep the event loop before other requests get a turn. */
const sliceMs = 5

export type Pause = () => Promise<void> | undefined

/** Returns a function that long work calls again and again: it pauses when a slice of time is over. */
export function createPause(clock: Clock = () => performance.now()): Pause {
  let since = clock()
  return () => {
    if (clock() - since < sliceMs) return undefined
    return turnOfEventLoop().then(() => {
      since = clock()
    })
  }
}
