import { setImmediate as turnOfEventLoop } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { Db } from '../../../database/schema.js'
import type { SessionKey } from '../../../simulation-sessions/queries.js'
import { type EndTurn, Turns } from '../../../turns/turns.js'
import type { ShownMessage } from '../../queries.js'
import { messageFrame, trainerMessageFrame } from '../open-sessions/frames.js'
import { pageBytes } from '../open-sessions/message-pages.js'
import type { EventPage } from '../open-sessions/recent.js'
import { selectWordPage } from '../open-sessions/word-queries.js'
import { selectPage } from './queries.js'

export interface PageRequest {
  session: SessionKey
  seesAll: boolean
  /** The `seq` of the last message that the reader has. */
  after: number
}

export interface WordsRequest {
  session: SessionKey
  /** Only the private words of this user; null for all. */
  user_id: string | null
  /** The number of the last word that the reader has. */
  after: number
}

/** Reads pages of older messages. */
export interface PageSource {
  /** Waits until another page of the organization may be held, or until the signal aborts. */
  takeTurn(organization_id: string, signal: AbortSignal): Promise<EndTurn>
  /** Returns the next page; null if there are no more messages. */
  read(request: PageRequest): Promise<EventPage | null>
  /** Returns the next page of private words; null if there are no more of them. */
  readWords(request: WordsRequest): Promise<EventPage | null>
}

interface Options {
  dbOf(organization_id: string): Db
  longAnswers: Turns
}

/**
 * How many pages all readers may hold together: about 32 MiB, at most 64 MiB. One organization leaves
 * 256 of them to others. The last 64 go only to organizations that hold none: if the readers of two
 * organizations hold all they may, each other organization can still hold one page at a time.
 */
const pagesHeld = { capacity: 1_024, reserve: 256, spare: 64 }

const maxCachedBytes = 4 * 1_048_576

/**
 * Reads older messages page by page, for replay. Caches pages, because after a restart all readers of
 * a session reconnect at the same time.
 */
export class History implements PageSource {
  readonly #options: Options
  readonly #held = new Turns(pagesHeld)
  readonly #pages = new LRUCache<string, EventPage>({
    maxSize: maxCachedBytes,
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

  /** Takes turns with all long answers: an organization reads one page at a time. */
  read(request: PageRequest): Promise<EventPage | null> {
    const { organization_id, _id } = request.session
    const key = [organization_id, _id, request.seesAll, request.after].join()
    return this.#options.longAnswers.run(organization_id, async () => {
      const page = this.#pages.get(key) ?? (await this.#fetch(request))
      if (page) this.#pages.set(key, page)
      // Otherwise the readers of cached pages would be served before all others.
      await turnOfEventLoop()
      return page
    })
  }

  /** Not cached: few readers lack private words, and each of them lacks others. */
  readWords({ session, user_id, after }: WordsRequest): Promise<EventPage | null> {
    const { organization_id, _id: session_id } = session
    return this.#options.longAnswers.run(organization_id, async () => {
      const db = this.#options.dbOf(organization_id)
      const words = await selectWordPage(db, { organization_id, session_id, after, user_id })
      const last = words.at(-1)?.seq
      if (last === undefined) return null
      return { bytes: Buffer.from(words.map(trainerMessageFrame).join('')), last }
    })
  }

  async #fetch({ session, seesAll, after }: PageRequest): Promise<EventPage | null> {
    const { organization_id, _id: session_id } = session
    const db = this.#options.dbOf(organization_id)
    return pageOf(seesAll, await selectPage(db, { organization_id, session_id, after }))
  }
}

/** Returns the messages that fit into a page as JSON, at least one. */
function pageOf(seesAll: boolean, rows: ShownMessage[]): EventPage | null {
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
