import type { ShownMessage } from '../../queries.js'
import { messageFrame } from './frames.js'
import { maxRecentBytes, maxRecentMessages } from './queries.js'

/** The events of consecutive messages, up to the message with the `seq` `last`. */
export interface EventPage {
  bytes: Buffer
  last: number
}

/** A message as the two events that readers get: with all fields, or reduced. */
interface Frames {
  seq: number
  full: Buffer
  reduced: Buffer
}

type FrameKind = 'full' | 'reduced'

/** The latest messages of a session, without gaps. All readers get the same bytes. */
export class RecentMessages {
  #messages: Frames[] = []
  /** The last page of several messages that was made for each kind. */
  readonly #joined = new Map<FrameKind, EventPage & { after: number }>()

  clear(): void {
    this.#messages = []
    this.#joined.clear()
  }

  /** Adds the next messages, and drops the oldest beyond the limits. */
  add(rows: ShownMessage[]): void {
    const kept = [...this.#messages, ...rows.map(framesOf)]
    let length = kept.reduce((sum, { full }) => sum + full.length, 0)
    while (kept.length > maxRecentMessages || (length > maxRecentBytes && kept.length > 1)) {
      length -= kept.shift()?.full.length ?? 0
    }
    this.#messages = kept
    this.#joined.clear()
  }

  /** Returns all messages after one; null if there are none or some of them are not kept. */
  after(after: number, seesAll: boolean): EventPage | null {
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

  /** Returns the full events after a message, without their ids. */
  withoutIds(after: number): Buffer | null {
    const [first] = this.#messages
    if (!first || first.seq > after + 1) return null
    const frames = this.#messages.slice(after + 1 - first.seq)
    return Buffer.concat(frames.map(({ full }) => full.subarray(full.indexOf('\n') + 1)))
  }
}

const framesOf = (row: ShownMessage): Frames => ({
  seq: row.seq,
  full: Buffer.from(messageFrame(true, row)),
  reduced: Buffer.from(messageFrame(false, row)),
})
