import { unavailable } from '../errors.js'
import { Turns } from './turns.js'

/** How long work may keep the event loop busy before other work gets a slice. */
const sliceMs = 5
/** After a slice of more than 10 ms comes a rest of the same length, at most 100 ms. */
const rest = { fromMs: 10, maxMs: 100 }

/**
 * Lets other work run when this work has used up its slice. Cheap to call after each step. Throws 503
 * if the result is no longer wanted.
 */
export type Pause = () => Promise<void>

/** For work in a process that does nothing else. */
export const withoutPause: Pause = () => Promise.resolve()

interface Options {
  /** Returns false if the result is no longer wanted. */
  isWanted?: () => boolean
  /** Whether the work holds a database connection while it waits. */
  inTransaction?: boolean
}

/**
 * Shares the event loop between long work: one slice in each turn of the loop, and keys in turns. So
 * another request waits for at most one slice. Work in a transaction has its own slices: it waits only
 * for other transactions, which are few.
 */
export class Slices {
  readonly #turns = new Turns({ capacity: 1 })
  readonly #turnsInTransactions = new Turns({ capacity: 1 })

  /** Returns the pause function for one piece of work. Call it before the first step too. */
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
  else setTimeout(end, Math.min(ms, rest.maxMs))
}
