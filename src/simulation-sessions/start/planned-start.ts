import { valueError } from '../../faults.js'
import { dayMs } from '../../process/clock.js'

/**
 * Throws 422 for a new start more than a day ago: the session would start at once, before people join.
 * A start that has just passed is allowed, because clocks differ. So is a stored start that does not change.
 */
export function requireNoLongPastStart(wanted: string | null, stored: string | null = null): void {
  if (wanted === null || wanted === stored || Date.parse(wanted) >= Date.now() - dayMs) return
  throw valueError(['body', 'starts_at'], 'long_past', 'should not be more than a day ago')
}
