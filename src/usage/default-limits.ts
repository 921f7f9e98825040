import { type Allowed, type LimitName, limitNames, limits } from '../limits.js'
import { isMailConfigured } from '../mail/transport.js'
import type { Config } from '../process/config.js'

/** How much organizations may use, unless an operator has set another limit for one of them. */
export interface DefaultLimits {
  readonly verified: Allowed
  readonly unverified: Allowed
}

/** A stranger with any e-mail address can fill a disk up to these limits. */
const tenthUntilVerified: readonly LimitName[] = [
  'template_bytes',
  'quick_setup_bytes',
  'session_bytes',
  'events_per_day',
]

/** If mail is not configured, no address can be verified. Then all organizations have the same defaults. */
export function defaultLimits(
  config: Pick<Config, 'defaultLimits' | 'smtpUrl' | 'mailToLog'>,
): DefaultLimits {
  const standard = limitNames.map((name) => [name, limits[name].allowed])
  const verified: Allowed = { ...Object.fromEntries(standard), ...config.defaultLimits }
  if (!isMailConfigured(config)) return { verified, unverified: verified }
  const tenths = tenthUntilVerified.map((name) => [name, Math.floor(verified[name] / 10)])
  return { verified, unverified: { ...verified, ...Object.fromEntries(tenths) } }
}
