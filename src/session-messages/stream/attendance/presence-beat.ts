import type { FastifyBaseLogger } from 'fastify'
import { batchesOf } from '../../../database/batches.js'
import { groupsOf } from '../../../database/groups.js'
import type { Db } from '../../../database/schema.js'
import { type CoalescedTask, coalesce } from '../coalesced-task.js'
import { mergePresence, type OpenSession } from '../open-sessions/open-sessions.js'
import { selectChangedPresence, selectPresence } from '../open-sessions/presence-queries.js'
import { sessionBatchSize } from '../open-sessions/queries.js'
import { teamBatchSize } from '../open-sessions/team-queries.js'
import type { OpenStreams } from '../open-streams.js'
import { Attendance } from './attendance.js'

interface Options {
  db: Db
  open: Pick<OpenStreams, 'streams' | 'sessions'>
  log: Pick<FastifyBaseLogger, 'warn'>
}

/**
 * With each beat, this process writes which participants have a stream here, and reads who is online in
 * the sessions that trainers follow here.
 */
export class PresenceBeat {
  readonly #db: Db
  readonly #open: Options['open']
  readonly #attendance: Attendance
  readonly #writing: CoalescedTask
  readonly #reading: CoalescedTask
  #isStopped = false

  constructor({ db, open, log }: Options) {
    const onError = (err: unknown) => log.warn({ err }, 'presence could not be updated')
    this.#db = db
    this.#open = open
    this.#attendance = new Attendance(db, open.streams)
    const unlessStopped = (work: () => Promise<void>) => async () => {
      if (!this.#isStopped) await work()
    }
    this.#writing = coalesce(
      unlessStopped(() => this.#attendance.write()),
      onError,
    )
    this.#reading = coalesce(
      unlessStopped(() => this.#read()),
      onError,
    )
  }

  /** Whether a beat has nothing to do while no stream is open. */
  get isIdle(): boolean {
    return this.#attendance.isIdle
  }

  beat(): void {
    this.#writing.run()
    this.#reading.run()
  }

  /** Does nothing more, and waits for what is under way. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all([this.#writing.settled(), this.#reading.settled()])
  }

  async #read(): Promise<void> {
    const followed = [...this.#open.sessions.values()].filter(isFollowed)
    for (const some of batchesOf(followed, sessionBatchSize)) {
      const rows = await selectChangedPresence(this.#db, {
        organization_ids: some.map(({ organization_id }) => organization_id),
        ids: some.map(({ _id }) => _id),
        fingerprints: some.map(({ presence }) => presence.fingerprint),
      })
      const changes = new Map(rows.map((row) => [row.session_id, row.fingerprint]))
      const changed = some.filter(({ _id }) => changes.has(_id))
      for (const few of batchesOf(changed, teamBatchSize)) await this.#merge(few, changes)
    }
  }

  async #merge(sessions: OpenSession[], fingerprints: ReadonlyMap<string, string>): Promise<void> {
    const places = groupsOf(
      await selectPresence(this.#db, sessions),
      ({ session_id }) => session_id,
    )
    for (const session of sessions) {
      const { _id } = session
      const present = places.get(_id) ?? []
      const fingerprint = present[0]?.fingerprint ?? fingerprints.get(_id) ?? ''
      mergePresence(session, fingerprint, present)
    }
  }
}

/** Whether a reader here may see who is online. */
const isFollowed = ({ streams }: OpenSession) =>
  [...streams].some(({ seesPresence }) => seesPresence)
