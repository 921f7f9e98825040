import type { FastifyBaseLogger } from 'fastify'
import { batchesOf } from '../../database/batches.js'
import { groupsOf } from '../../database/groups.js'
import type { Db } from '../../database/schema.js'
import { SingleFlight } from '../../turns/single-flight.js'
import { Turns } from '../../turns/turns.js'
import { selectAccess } from './access-queries.js'
import type { Stream } from './stream.js'

const readerBatchSize = 500

type CheckedStream = Pick<Stream, 'reader' | 'session_id' | 'end'>

interface Options {
  dbOf(organization_id: string): Db
  log: Pick<FastifyBaseLogger, 'warn'>
}

/**
 * Cuts the streams of readers who may no longer read. Each organization has its own check, and a few
 * checks run at the same time: a slow or failing check does not hold up other organizations.
 */
export class AccessChecks {
  readonly #options: Options
  readonly #turns = new Turns({ capacity: 4, slowness: { ms: 500, capacity: 2 } })
  readonly #checks = new SingleFlight<void>()
  #isStopped = false

  constructor(options: Options) {
    this.#options = options
  }

  /** Starts the checks. Skips organizations whose last check is still running. */
  run(streams: Iterable<CheckedStream>): void {
    for (const [organization_id, own] of groupsOf(streams, ownOrganization)) {
      if (!this.#checks.isRunning(organization_id)) this.#start(organization_id, own)
    }
  }

  /** Starts no more checks, and waits for the running ones. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#checks.settled()
  }

  #start(organization_id: string, streams: CheckedStream[]): void {
    const { dbOf, log } = this.#options
    const check = async () => {
      if (!this.#isStopped) await cutForbidden(dbOf(organization_id), organization_id, streams)
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

const ownOrganization = ({ reader }: CheckedStream) => reader.organization_id

async function cutForbidden(db: Db, organization_id: string, streams: CheckedStream[]) {
  for (const some of batchesOf(streams, readerBatchSize)) {
    const { allowed, takenOver } = await selectAccess(db, organization_id, some)
    for (const [i, stream] of some.entries()) {
      if (allowed.has(i)) continue
      stream.end(takenOver.has(i) ? 'seat_taken_over' : 'access_ended')
    }
  }
}
