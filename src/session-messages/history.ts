import { setImmediate as turnOfEventLoop } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Database } from '../database/schema.js'
import type { StoredMessage } from '../simulation-sessions/message-queries.js'
import type { SessionKey } from '../simulation-sessions/queries.js'
import { type EndTurn, Turns } from '../turns/turns.js'
import { messageFrame } from './frames.js'
import { pageBytes, selectPage } from './history-queries.js'

/** Events of messages in a row, up to the message `last`. */
export interface Page {
  bytes: Buffer
  last: number
}

export interface Place {
  session: SessionKey
  seesAll: boolean
  /** The last message that the reader has. */
  after: number
}

/** Where readers get older messages from. */
export interface Source {
  /** Waits until another page of an organization may be held, or until the signal comes. */
  takeTurn(organization_id: string, signal: AbortSignal): Promise<EndTurn>
  /** The next page; null when there are no more messages. */
  read(place: Place): Promise<Page | null>
}

interface Options {
  dbOf(organization_id: string): Kysely<Database>
  longAnswers: Turns
}

/**
 * How many pages all readers hold at once, about 32 MiB, at most 64. One organization leaves 256 of
 * them to others. The last 64 go only to organizations that hold none: if the readers of two
 * organizations hold all they may, each other organization can still hold one page at a time.
 */
const pagesHeld = { capacity: 1_024, reserve: 256, spare: 64 }

/** How many bytes of pages are kept for the next reader. */
const keptBytes = 4 * 1_048_576

/**
 * Older messages of sessions in pages. Readers in the same place get the same bytes: after a restart
 * all readers of a session come back at once.
 */
export class History implements Source {
  readonly #options: Options
  readonly #held = new Turns(pagesHeld)
  readonly #pages = new LRUCache<string, Page>({
    maxSize: keptBytes,
    sizeCalculation: ({ bytes }) => bytes.length + 1,
  })

  constructor(options: Options) {
    this.#options = options
  }

  /** How many pages are held. */
  get held(): number {
    return this.#held.taken
  }

  async takeTurn(organization_id: string, signal: AbortSignal): Promise<EndTurn> {
    return this.#held.take(organization_id, signal)
  }

  /** In turn with all long answers: one page at a time of an organization. */
  read(place: Place): Promise<Page | null> {
    const { organization_id, _id } = place.session
    const key = [organization_id, _id, place.seesAll, place.after].join()
    return this.#options.longAnswers.run(organization_id, async () => {
      const page = this.#pages.get(key) ?? (await this.#fetch(place))
      if (page) this.#pages.set(key, page)
      // Without it, readers of pages that are kept would be served before anyone else.
      await turnOfEventLoop()
      return page
    })
  }

  async #fetch({ session, seesAll, after }: Place): Promise<Page | null> {
    const { organization_id, _id: session_id } = session
    const db = this.#options.dbOf(organization_id)
    return pageOf(seesAll, await selectPage(db, { organization_id, session_id, after }))
  }
}

/** As many of the messages as fit into a page when they are written as JSON. */
function pageOf(seesAll: boolean, rows: StoredMessage[]): Page | null {
  const frames: Buffer[] = []
  let length = 0
  let last: number | null = null
  for (const row of rows) {
    const frame = Buffer.from(messageFrame(seesAll, row))
    length += frame.length
    if (last !== null && length > pageBytes) break
    frames.push(frame)
    last = row.seq
  }
  return last === null ? null : { bytes: Buffer.concat(frames), last }
}
