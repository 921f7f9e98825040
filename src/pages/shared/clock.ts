import { signal } from '@preact/signals'

/** Milliseconds since the page was opened, renewed each second. The time of a device may be set meanwhile. */
export const now = signal(performance.now())

setInterval(() => {
  now.value = performance.now()
}, 1_000)

/**
 * Returns a time on a session's clock as all views show it: minutes and seconds, such as 65:12. Run
 * sheets count in minutes too.
 */
export function sessionTimeOf(elapsed_ms: number): string {
  const seconds = Math.max(0, Math.floor(elapsed_ms / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
