import type { Socket } from 'node:net'
import { unavailable } from '../errors.js'
import type { Turns } from '../turns/turns.js'

/** Shorter than the 30 s after which an unanswered connection is closed. */
const longestMs = 25_000

interface Place {
  key: string
  /** The connection of the client that waits for the result. */
  socket: Socket
}

/**
 * Does work in a turn of a key. The signal is aborted when the client closes its connection, and when
 * the turn has taken too long. The work has to stop then, so that the turn goes to another key.
 */
export async function runBounded<T>(
  turns: Turns,
  { key, socket }: Place,
  work: (signal: AbortSignal) => Promise<T>,
  mostMs = longestMs,
): Promise<T> {
  const controller = new AbortController()
  const { signal } = controller
  const stop = () => controller.abort()
  socket.once('close', stop)
  let timer: NodeJS.Timeout | undefined
  try {
    if (socket.destroyed) throw unavailable()
    const end = await turns.take(key, signal)
    timer = setTimeout(stop, mostMs)
    try {
      return await work(signal)
    } finally {
      end()
    }
  } finally {
    clearTimeout(timer)
    socket.off('close', stop)
  }
}
