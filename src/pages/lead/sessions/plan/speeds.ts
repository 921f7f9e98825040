import { say } from '../../../shared/words/words.js'

/** How fast a session's clock can run: as planned, or faster to try a drill out, and as it does now. */
export const speeds = (now = 1) => [
  { value: '1', label: say('lead.pace.real') },
  ...[...new Set([2, 10, 30, 60, 120, Math.max(2, now)])].map((times) => ({
    value: `${times}`,
    label: say('lead.pace.faster', { times }),
  })),
]
