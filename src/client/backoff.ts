/** How long a stream waits, in milliseconds. */
export interface StreamTiming {
  /** Before the first reconnect. Each further wait is twice as long. */
  shortest: number
  longest: number
  /** Without a byte before it takes the connection for dead. The service sends one every 15 s. */
  silence: number
}

export const usualTiming: StreamTiming = { shortest: 1_000, longest: 30_000, silence: 35_000 }

/**
 * The wait before a try, counted from 0. It is random between a half and the whole, so that readers
 * whom the same failure cut off do not all come back at the same moment.
 */
export function waitBefore(attempt: number, { shortest, longest }: StreamTiming): number {
  const whole = Math.min(shortest * 2 ** attempt, longest)
  return (whole * (1 + Math.random())) / 2
}

/** Calls back each time the page is shown again, for example after a phone wakes up. Node.js has no page. */
export function onShown(callback: () => void, signal: AbortSignal): void {
  const look = () => {
    if (globalThis.document?.visibilityState === 'visible') callback()
  }
  globalThis.addEventListener?.('visibilitychange', look, { signal })
}

/** Makes streams try now what they would try later. A browser that is online again does so by itself. */
export const tryNow = () => void globalThis.dispatchEvent?.(new Event('online'))

/** Calls back each time a browser is online again, or `tryNow` is called. */
export function onOnline(callback: () => void, signal: AbortSignal): void {
  globalThis.addEventListener?.('online', callback, { signal })
}

/** Waits. A browser that is online or shown again, or the signal, ends the wait early. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  const over = new AbortController()
  await new Promise<unknown>((done) => {
    const once = { signal: over.signal }
    const timer = setTimeout(done, ms)
    once.signal.addEventListener('abort', () => clearTimeout(timer))
    signal?.addEventListener('abort', done, once)
    if (signal?.aborted) done(null)
    onOnline(() => done(null), over.signal)
    onShown(() => done(null), over.signal)
  })
  over.abort()
}
