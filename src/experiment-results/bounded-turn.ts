import type { Socket } from 'node:net'
import { unavailable } from '../errors.js'
import type { Turns } from '../turns/turns.js'

/** Less than the 30 s after which the server closes an unanswered connection. */
const maxMs = 25_000

interface Client {
  /** The key of the queue that the client waits in. */
  key: string
  /** The connection of the client that waits for the result. */
  socket: Socket
}

/**
 * Runs work in a turn of the client's key. Aborts the signal when the client closes its connection
 * or the turn takes too long. The work has to stop then, so that the next key gets its turn.
 */
export async function runBounded<T>(
  turns: Turns,
  { key, socket }: Client,
  work: (signal: AbortSignal) => Promise<T>,
  limitMs = maxMs,
): Promise<T> {
  const controller = new AbortController()
  const { signal } = controller
  const stop = () => controller.abort()
  socket.once('close', stop)
  let timer: NodeJS.Timeout | undefined
  try {
    if (socket.destroyed) throw unavailable()
    const end = await turns.take(key, signal)
    timer = setTimeout(stop, limitMs)
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
