import { unavailable } from '../errors.js'
import { Turns } from './turns.js'

/** How long one piece of work may keep the event loop busy before others get a turn. */
const sliceMs = 5
/** A slice that took longer than 10 ms is followed by a rest of the same length, 100 ms at most. */
const rest = { fromMs: 10, mostMs: 100 }

/**
 * Lets others go on when the work has used up its slice. Cheap to call after each step. Throws 503 when
 * its result is not wanted any more.
 */
export type Pause = () => Promise<void>

/** For work beside which nothing else is done. */
export const withoutPause: Pause = () => Promise.resolve()

interface Options {
  /** Returns false when the result is not wanted any more. */
  isWanted?: () => boolean
  /** Whether the work holds a connection of the database while it waits. */
  inTransaction?: boolean
}

/**
 * Shares the event loop between long work: one slice each time the loop turns, and the keys one
 * after the other. So another request waits for one slice, however much long work there is. Work in
 * a transaction has a slice of its own: it waits only for other transactions, which are few.
 */
export class Slices {
  readonly #turns = new Turns({ capacity: 1 })
  readonly #turnsInTransactions = new Turns({ capacity: 1 })

  /** The pauses of one piece of work. The first one comes before its first slice. */
  pauseOf(key: string, { isWanted = () => true, inTransaction = false }: Options = {}): Pause {
    const turns = inTransaction ? this.#turnsInTransactions : this.#turns
    let since = Number.NEGATIVE_INFINITY
    return async () => {
      if (performance.now() - since < sliceMs) return
      const end = await turns.take(key)
      if (!isWanted()) {
        end()
        throw unavailable()
      }
      since = performance.now()
      // A transaction does not rest: it holds a connection.
      if (inTransaction) setImmediate(end)
      else setImmediate(endSlice, end, since)
    }
  }
}

function endSlice(end: () => void, since: number): void {
  const ms = performance.now() - since
  if (ms < rest.fromMs) end()
  else setTimeout(end, Math.min(ms, rest.mostMs))
}
