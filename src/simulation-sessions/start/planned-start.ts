import { valueError } from '../../faults.js'
import { dayMs } from '../../process/clock.js'

/**
 * Throws 422 for a new start more than a day ago: the session would start at once, with nobody there.
 * Clocks that differ, and a start that passes meanwhile, are no fault. A stored start stays.
 */
export function requireNoLongPastStart(wanted: string | null, stored: string | null = null): void {
  if (wanted === null || wanted === stored || Date.parse(wanted) >= Date.now() - dayMs) return
  throw valueError(['body', 'starts_at'], 'long_past', 'should not be more than a day ago')
}
