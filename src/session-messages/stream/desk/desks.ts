import { setImmediate as turnOfEventLoop } from 'node:timers/promises'
import { batchesOf } from '../../../database/batches.js'
import type { Db } from '../../../database/schema.js'
import type { Reader } from '../access-queries.js'
import type { OpenSessions } from '../open-sessions/open-sessions.js'
import { Desk } from './desk.js'
import { organizationBatchSize, selectUnfollowed } from './desk-queries.js'
import { DeskStream } from './desk-stream.js'

/** How many sessions are added before other work gets the event loop. */
const sessionsATurn = 32

interface OpenDesk {
  desk: Desk
  streams: Set<DeskStream>
}

/** The desks of this process, one for each organization with a desk stream. */
export class Desks {
  readonly #sessions: OpenSessions
  readonly #open = new Map<string, OpenDesk>()

  constructor(sessions: OpenSessions) {
    this.#sessions = sessions
  }

  add(organization_id: string, reader: Reader, onEnd: (stream: DeskStream) => void): DeskStream {
    const { desk, streams } = this.#open.get(organization_id) ?? this.#newDesk(organization_id)
    const stream: DeskStream = new DeskStream(desk, reader, () => onEnd(stream))
    streams.add(stream)
    return stream
  }

  remove(stream: DeskStream): void {
    const { organization_id, desk } = stream
    const streams = this.#open.get(organization_id)?.streams
    if (!streams?.delete(stream) || streams.size > 0) return
    this.#open.delete(organization_id)
    desk.close()
  }

  /** Looks for sessions that have started, and follows them. Returns their ids. */
  async followStarted(db: Db): Promise<string[]> {
    const followed: string[] = []
    for (const some of batchesOf(this.#open.values(), organizationBatchSize)) {
      const desks = some.map(({ desk }) => desk)
      const found = await selectUnfollowed(db, {
        organization_ids: desks.map(({ organization_id }) => organization_id),
        session_ids: desks.flatMap(({ session_ids }) => session_ids),
      })
      for (const [i, one] of found.entries()) {
        if (i > 0 && i % sessionsATurn === 0) await turnOfEventLoop()
        this.#open.get(one.organization_id)?.desk.follow(one)
        followed.push(one._id)
      }
    }
    return followed
  }

  /** Drops the ended sessions that all streams have sent. */
  prune(): void {
    for (const { desk, streams } of this.#open.values()) {
      desk.prune(Math.min(...[...streams].map(({ sent }) => sent)))
    }
  }

  #newDesk(organization_id: string): OpenDesk {
    const streams = new Set<DeskStream>()
    const wakeStreams = () => {
      for (const stream of streams) stream.wake()
    }
    const open = { desk: new Desk(organization_id, this.#sessions, wakeStreams), streams }
    this.#open.set(organization_id, open)
    return open
  }
}
