import type { FastifyBaseLogger } from 'fastify'
import { batchesOf } from '../../database/batches.js'
import { groupsOf } from '../../database/groups.js'
import type { Db } from '../../database/schema.js'
import { SingleFlight } from '../../turns/single-flight.js'
import { Turns } from '../../turns/turns.js'
import { selectAccess } from './access-queries.js'
import type { Stream } from './stream.js'

const readerBatchSize = 500

/** How many ticks come between two checks of a reader. The hub has two ticks a second. */
const ticksBetweenChecks = 5
/** A reader whose access is unknown for longer is cut, so that a change takes effect within 5 s. */
const maxTicksUnchecked = 8

type CheckedStream = Pick<Stream, 'reader' | 'session_id' | 'ticksUnchecked' | 'isChecked' | 'end'>

interface Options {
  /** The database in turns of the service, because those of a busy organization may take long. */
  db: Db
  log: Pick<FastifyBaseLogger, 'warn'>
}

/**
 * Cuts the streams of readers who may no longer read, or whose access cannot be checked for 4.5
 * seconds. Ticks are counted, and not seconds: while the process stands still, it also sends nothing.
 * Each organization has its own check, and a few checks run at the same time: a slow or failing check
 * does not hold up other organizations.
 */
export class AccessChecks {
  readonly #options: Options
  readonly #turns = new Turns({ capacity: 4, slowness: { ms: 500, capacity: 2 } })
  readonly #checks = new SingleFlight<void>()
  #ticks = 0
  #isStopped = false

  constructor(options: Options) {
    this.#options = options
  }

  /** Makes the checks of all readers due at the next tick. */
  hurry(): void {
    this.#ticks = -1
  }

  /**
   * Starts the checks that are due: of all readers every few ticks, and of new ones at once. Skips
   * organizations whose last check is still running.
   */
  tick(streams: Iterable<CheckedStream>): void {
    const areAllDue = ++this.#ticks % ticksBetweenChecks === 0
    const due: CheckedStream[] = []
    for (const stream of streams) {
      stream.ticksUnchecked++
      if (stream.ticksUnchecked > maxTicksUnchecked) stream.end()
      else if (areAllDue || !stream.isChecked || isLate(stream)) due.push(stream)
    }
    for (const [organization_id, own] of groupsOf(due, ownOrganization)) {
      if (!this.#checks.isRunning(organization_id)) this.#start(organization_id, own)
    }
  }

  /** Starts no more checks, and waits for the running ones. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#checks.settled()
  }

  #start(organization_id: string, streams: CheckedStream[]): void {
    const { db, log } = this.#options
    const check = async () => {
      if (!this.#isStopped) await cutForbidden(db, organization_id, streams)
    }
    const checkInTurn = () =>
      this.#turns
        .run(organization_id, check)
        .catch((err) =>
          log.warn({ err, organization_id }, 'access of readers could not be checked'),
        )
    void this.#checks.run(organization_id, checkInTurn)
  }
}

/** Whether the last check was skipped or has failed. */
const isLate = ({ ticksUnchecked }: CheckedStream) => ticksUnchecked > ticksBetweenChecks

const ownOrganization = ({ reader }: CheckedStream) => reader.organization_id

async function cutForbidden(db: Db, organization_id: string, streams: CheckedStream[]) {
  for (const some of batchesOf(streams, readerBatchSize)) {
    const before = some.map(({ ticksUnchecked }) => ticksUnchecked)
    const { allowed, takenOver } = await selectAccess(db, organization_id, some)
    for (const [i, stream] of some.entries()) {
      if (!allowed.has(i)) stream.end(takenOver.has(i) ? 'seat_taken_over' : 'access_ended')
      stream.ticksUnchecked -= before[i] ?? 0
      stream.isChecked = true
    }
  }
}
