import { groupsOf } from '../../../database/groups.js'
import type { Db } from '../../../database/schema.js'
import { createId } from '../../../formats/identifiers.js'
import { movedBy } from '../../../simulation-sessions/clock/clock.js'
import type { Reader } from '../access-queries.js'
import * as queries from './attendance-queries.js'

/** With a beat every 500 ms, the lease is renewed after 2 s at the latest. */
const renewAfterMs = 1_500
/** How long a participant may have no stream and stay online, so that a reconnect changes nothing. */
const graceMs = 2_000
const removeLeftoversEveryMs = 30_000
/** How many participants one statement adds or removes. The others wait for the next beat. */
const batchSize = 1_000

interface Stream {
  organization_id: string
  session_id: string | null
  reader: Pick<Reader, 'user_id' | 'takesPart'>
}

/** A participant with a stream in this process. */
interface Attendee {
  organization_id: string
  session_id: string
  user_id: string
  /** When their last stream closed; null while one is open. */
  leftAt: number | null
}

/**
 * Tells all processes which participants have a stream open in this one. It writes a row when the first
 * stream of a participant opens and removes it after the last has closed. While there are rows, it renews
 * one lease for all of them. Rows without a lease do not count, so those of a process that was killed soon
 * do not. A process that stops leaves its rows, too: its readers reconnect to another process, and are not
 * offline in between.
 */
export class Attendance {
  readonly #process_id = createId()
  readonly #db: Db
  readonly #streams: Iterable<Stream>
  /** The participants whose rows are written. */
  readonly #written = new Map<string, Attendee>()
  #hasLease = false
  #renewedAt = 0
  #leftoversAt = 0

  constructor(db: Db, streams: Iterable<Stream>) {
    this.#db = db
    this.#streams = streams
  }

  /** Whether nothing is left to write. */
  get isIdle(): boolean {
    return this.#written.size === 0 && !this.#hasLease
  }

  /** Writes what has changed, and renews the lease when that is due. */
  async write(): Promise<void> {
    const now = performance.now()
    const present = attendeesIn(this.#streams)
    for (const [key, one] of this.#written) {
      one.leftAt = present.has(key) ? null : (one.leftAt ?? now)
    }
    const isDue = this.#hasLease && now - this.#renewedAt >= renewAfterMs
    if (!isDue && this.#newOf(present).length === 0 && this.#goneBy(now).length === 0) return
    const at = await this.#renew(now)
    await this.#add(this.#newOf(present), at)
    await this.#remove(this.#goneBy(now), now, at)
    if (this.#written.size > 0) await this.#removeLeftovers(now)
    else await this.#giveUpLease()
  }

  #newOf(present: Map<string, Attendee>): [string, Attendee][] {
    return [...present].filter(([key]) => !this.#written.has(key)).slice(0, batchSize)
  }

  #goneBy(now: number): [string, Attendee][] {
    return [...this.#written]
      .filter(([, { leftAt }]) => leftAt !== null && now - leftAt >= graceMs)
      .slice(0, batchSize)
  }

  /** Renews the lease, and returns the time of the database. */
  async #renew(now: number): Promise<string> {
    const key = { process_id: this.#process_id }
    const [renewed] = this.#hasLease ? await queries.renewLease(this.#db, key) : []
    // Another process has removed the rows of this one, because its lease had expired.
    if (!renewed) this.#written.clear()
    const [lease] = renewed ? [renewed] : await queries.insertLease(this.#db, key)
    this.#hasLease = true
    this.#renewedAt = now
    return lease?.now ?? new Date().toISOString()
  }

  async #add(some: [string, Attendee][], at: string): Promise<void> {
    if (some.length === 0) return
    await queries.insertPresent(
      this.#db,
      this.#readings(some, () => at),
    )
    for (const [key, one] of some) this.#written.set(key, one)
  }

  async #remove(some: [string, Attendee][], now: number, at: string): Promise<void> {
    const until = ({ leftAt }: Attendee) => movedBy(at, (leftAt ?? now) - now)
    for (const [organization_id, own] of groupsOf(some, ([, one]) => one.organization_id)) {
      await queries.removePresent(this.#db, organization_id, this.#readings(own, until))
      for (const [key] of own) this.#written.delete(key)
    }
  }

  #readings(some: [string, Attendee][], timeOf: (one: Attendee) => string): queries.Readings {
    const all = some.map(([, one]) => one)
    return {
      process_id: this.#process_id,
      organization_ids: all.map(({ organization_id }) => organization_id),
      session_ids: all.map(({ session_id }) => session_id),
      user_ids: all.map(({ user_id }) => user_id),
      times: all.map(timeOf),
    }
  }

  async #giveUpLease(): Promise<void> {
    await queries.deleteLease(this.#db, { process_id: this.#process_id })
    this.#hasLease = false
  }

  async #removeLeftovers(now: number): Promise<void> {
    if (now - this.#leftoversAt < removeLeftoversEveryMs) return
    this.#leftoversAt = now
    await queries.removeLeftovers(this.#db)
  }
}

function attendeesIn(streams: Iterable<Stream>): Map<string, Attendee> {
  const present = new Map<string, Attendee>()
  for (const { organization_id, session_id, reader } of streams) {
    if (!reader.takesPart || session_id === null) continue
    const { user_id } = reader
    present.set(`${session_id} ${user_id}`, { organization_id, session_id, user_id, leftAt: null })
  }
  return present
}
