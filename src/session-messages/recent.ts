import type { StoredMessage } from '../simulation-sessions/message-queries.js'
import { messageFrame } from './frames.js'
import type { Page } from './history.js'
import { recentAtMost, recentBytes } from './stream-queries.js'

/** A message as the event that each kind of reader gets. */
interface Frames {
  seq: number
  full: Buffer
  reduced: Buffer
}

type Kind = 'full' | 'reduced'

/** The last messages of a session in a row. All readers are sent the same bytes. */
export class RecentMessages {
  #messages: Frames[] = []
  /** What readers of a kind were last sent of several messages. */
  readonly #joined = new Map<Kind, Page & { after: number }>()

  clear(): void {
    this.#messages = []
    this.#joined.clear()
  }

  /** Adds the messages that follow, and lets go of the oldest. */
  add(rows: StoredMessage[]): void {
    const kept = [...this.#messages, ...rows.map(framesOf)]
    let length = kept.reduce((sum, { full }) => sum + full.length, 0)
    while (kept.length > recentAtMost || (length > recentBytes && kept.length > 1)) {
      length -= kept.shift()?.full.length ?? 0
    }
    this.#messages = kept
    this.#joined.clear()
  }

  /** All that follow a message; null where that is more than is kept. */
  after(after: number, seesAll: boolean): Page | null {
    const [first] = this.#messages
    const last = this.#messages.at(-1)
    if (!first || !last || first.seq > after + 1 || last.seq <= after) return null
    const kind = seesAll ? 'full' : 'reduced'
    if (last.seq === after + 1) return { bytes: last[kind], last: last.seq }
    const joined = this.#joined.get(kind)
    if (joined?.after === after) return joined
    const frames = this.#messages.slice(after + 1 - first.seq).map((message) => message[kind])
    const page = { after, bytes: Buffer.concat(frames), last: last.seq }
    this.#joined.set(kind, page)
    return page
  }
}

const framesOf = (row: StoredMessage): Frames => ({
  seq: row.seq,
  full: Buffer.from(messageFrame(true, row)),
  reduced: Buffer.from(messageFrame(false, row)),
})
