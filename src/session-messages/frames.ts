import { elapsedMs } from '../simulation-sessions/clock.js'
import type { StoredMessage } from '../simulation-sessions/message-queries.js'
import { messageText } from './message.js'
import type { SessionState } from './stream-queries.js'

/** Server-sent events (WHATWG HTML, 9.2). JSON has no line breaks. */
export const messageFrame = (seesAll: boolean, row: StoredMessage) =>
  `id: ${row.seq}\nevent: message\ndata: ${messageText(seesAll, row)}\n\n`

/** Without an id: whoever comes back is told the status anyway. */
export function statusFrame(state: SessionState): string {
  const { status, speed, now: at } = state
  const data = { status, elapsed_ms: elapsedMs(state, at), speed, at }
  return `event: status\ndata: ${JSON.stringify(data)}\n\n`
}

/** The last event of a stream whose reader has to come back with another access token. */
export const tokenExpiredFrame = 'event: token_expired\ndata: {"reason":"token_expired"}\n\n'
