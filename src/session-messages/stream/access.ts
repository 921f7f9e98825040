import type { FastifyBaseLogger } from 'fastify'
import { batchesOf } from '../../database/batches.js'
import { groupsOf } from '../../database/groups.js'
import type { Db } from '../../database/schema.js'
import { type Clock, steadyClock } from '../../process/clock.js'
import { SingleFlight } from '../../turns/single-flight.js'
import { Turns } from '../../turns/turns.js'
import { selectAccess } from './access-queries.js'
import type { Stream } from './stream.js'

const readerBatchSize = 500

const checkEveryMs = 2_500
/** A reader whose access is unknown for longer is cut, so that a change takes effect within 5 s. */
const cutAfterMs = 4_500
/** If a check of all readers takes longer, the readers of each organization are checked separately. */
const patienceMs = 1_000
/** Time between two ticks counts up to this. While the process stands still, it also sends nothing. */
const longestTickMs = 1_000

type CheckedStream = Pick<Stream, 'reader' | 'session_id' | 'end'>

interface Options {
  /** The database in turns of the service, because those of a busy organization may take long. */
  db: Db
  log: Pick<FastifyBaseLogger, 'warn'>
  clock?: Clock
}

/**
 * Cuts the streams of readers who may no longer read, or whose access cannot be checked in time. All
 * readers are checked together. If that fails or takes long, each organization is checked by itself, so
 * that a lost node of a cluster does not cut the readers on the others.
 */
export class AccessChecks {
  readonly #db: Db
  readonly #log: Options['log']
  readonly #clock: Clock
  readonly #turns = new Turns({ capacity: 4, slowness: { ms: 500, capacity: 2 } })
  readonly #ofAll = new SingleFlight<void>()
  readonly #ofEach = new SingleFlight<void>()
  /** When the last good check of a stream began, or when it was first seen. */
  readonly #checkedAt = new WeakMap<CheckedStream, number>()
  #now = 0
  #tickedAt: number
  #allDueAt = 0
  #allBegunAt = 0
  #isStopped = false

  constructor({ db, log, clock = steadyClock }: Options) {
    this.#db = db
    this.#log = log
    this.#clock = clock
    this.#tickedAt = clock()
  }

  /** Makes the checks of all readers due at the next tick. */
  hurry(): void {
    this.#allDueAt = 0
  }

  /** Starts the checks that are due: of all readers now and then, and of new and late ones at once. */
  tick(streams: Iterable<CheckedStream>): void {
    const tickedAt = this.#clock()
    this.#now += Math.min(tickedAt - this.#tickedAt, longestTickMs)
    this.#tickedAt = tickedAt
    const due = [...streams].filter((stream) => this.#isDue(stream))
    if (due.length === 0 || this.#isStopped) return
    if (!this.#ofAll.isRunning('all')) {
      this.#allBegunAt = this.#now
      this.#allDueAt = this.#now + checkEveryMs
      void this.#ofAll.run('all', () => this.#check(due).catch(() => this.#checkEach(due)))
    } else if (this.#now - this.#allBegunAt > patienceMs) this.#checkEach(due)
  }

  /** Starts no more checks, and waits for the running ones. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#ofAll.settled()
    await this.#ofEach.settled()
  }

  /** Cuts a stream that was not checked for too long. */
  #isDue(stream: CheckedStream): boolean {
    const checkedAt = this.#checkedAt.get(stream)
    if (checkedAt === undefined) {
      // The caller may come from a cache, so a new stream is due at once.
      this.#checkedAt.set(stream, this.#now)
      return true
    }
    const age = this.#now - checkedAt
    if (age > cutAfterMs) stream.end()
    return age <= cutAfterMs && (this.#now >= this.#allDueAt || age > checkEveryMs)
  }

  /** Checks the readers of each organization that is not being checked already. */
  #checkEach(streams: CheckedStream[]): void {
    for (const [organization_id, own] of groupsOf(
      streams,
      ({ reader }) => reader.organization_id,
    )) {
      if (this.#isStopped || this.#ofEach.isRunning(organization_id)) continue
      const check = () => this.#check(own)
      const checkInTurn = () =>
        this.#turns
          .run(organization_id, check)
          .catch((err) =>
            this.#log.warn({ err, organization_id }, 'access of readers could not be checked'),
          )
      void this.#ofEach.run(organization_id, checkInTurn)
    }
  }

  async #check(streams: CheckedStream[]): Promise<void> {
    const begunAt = this.#now
    const checkSome = async (some: CheckedStream[]) => {
      const { allowed, takenOver } = await selectAccess(this.#db, some)
      for (const [i, stream] of some.entries()) {
        if (!allowed.has(i)) stream.end(takenOver.has(i) ? 'seat_taken_over' : 'access_ended')
        this.#checkedAt.set(stream, Math.max(begunAt, this.#checkedAt.get(stream) ?? 0))
      }
    }
    await Promise.all([...batchesOf(streams, readerBatchSize)].map(checkSome))
  }
}
