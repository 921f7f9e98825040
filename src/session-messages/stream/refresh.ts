import { setImmediate as turnOfEventLoop } from 'node:timers/promises'
import { batchesOf } from '../../database/batches.js'
import { groupsOf } from '../../database/groups.js'
import type { Db } from '../../database/schema.js'
import type { Clock } from '../../process/clock.js'
import { type CoalescedTask, coalesce } from './coalesced-task.js'
import type { Desks } from './desk/desks.js'
import {
  type ExpectationRow,
  expectationsBatchSize,
  selectUnansweredOf,
} from './open-sessions/expectation-queries.js'
import {
  changesExpectations,
  cursorOf,
  mergeChanges,
  mergeTeam,
  mergeWords,
  type OpenSession,
  type OpenSessions,
  wakeAll,
} from './open-sessions/open-sessions.js'
import { type ChangeRow, selectChanges, sessionBatchSize } from './open-sessions/queries.js'
import { selectTeams, teamBatchSize } from './open-sessions/team-queries.js'
import { selectNewWords, wordsBatchSize } from './open-sessions/word-queries.js'

interface Options {
  db: Db
  sessions: OpenSessions
  desks: Desks
  onError(error: unknown): void
  clock: Clock | undefined
}

/** Queries the changes of open sessions, one query at a time. */
export class Refresher {
  readonly #db: Db
  readonly #sessions: OpenSessions
  readonly #desks: Desks
  readonly #task: CoalescedTask
  /**
   * The ids of the sessions that the next run queries. A session may close and open again before that
   * run: as objects, both would be queried, and each message would come twice.
   */
  readonly #requested = new Set<string>()
  /** Whether the next run looks for sessions that have started. */
  #isStartCheckDue = false

  constructor({ db, sessions, desks, onError, clock }: Options) {
    this.#db = db
    this.#sessions = sessions
    this.#desks = desks
    this.#task = coalesce(() => this.#refresh(), onError, clock)
  }

  refresh(session_id: string): void {
    if (!this.#sessions.get(session_id)) return
    this.#requested.add(session_id)
    this.#task.run()
  }

  /** Also looks for sessions that have started. */
  refreshAll(): void {
    for (const { _id } of this.#sessions.values()) this.#requested.add(_id)
    this.checkStarts()
  }

  /** Looks for sessions that have started. */
  checkStarts(): void {
    this.#isStartCheckDue = true
    this.#task.run()
  }

  settled(): Promise<void> {
    return this.#task.settled()
  }

  underWayMs(): number {
    return this.#task.underWayMs()
  }

  async #refresh(): Promise<void> {
    const sessions = [...this.#requested].flatMap((id) => this.#sessions.get(id) ?? [])
    this.#requested.clear()
    for (const some of batchesOf(sessions, sessionBatchSize)) await refreshSessions(this.#db, some)
    if (!this.#isStartCheckDue) return
    this.#isStartCheckDue = false
    const followed = await this.#desks.followStarted(this.#db)
    for (const session_id of followed) this.refresh(session_id)
  }
}

/** How many sessions are merged before other work gets the event loop. */
const sessionsATurn = 8

/**
 * Queries what has changed in some sessions, and merges it. Teams come first, then private words: so
 * readers know each participant before their first message, and get all of it before the session ends.
 */
async function refreshSessions(db: Db, sessions: OpenSession[]): Promise<void> {
  const changes = await selectChanges(db, sessions.map(cursorOf))
  const changed = sessions.filter(({ _id }) => changes.has(_id))
  const stateOf = ({ _id }: OpenSession) => changes.get(_id)?.[0]
  const withNewTeam = changed.filter((one) => (stateOf(one)?.team_seq ?? 0) > one.team.seq)
  for (const some of batchesOf(withNewTeam, teamBatchSize)) await refreshTeams(db, some)
  const withNewWords = changed.filter((one) => (stateOf(one)?.trainer_seq ?? 0) > one.words.seq)
  for (const some of batchesOf(withNewWords, wordsBatchSize)) await refreshWords(db, some)
  const outdated = sessions.filter(needsExpectations(changes))
  const wanted = new Map(outdated.map(({ _id, expectations }) => [_id, expectations.wanted]))
  const expectations = await unansweredOf(db, outdated)
  const merged = sessions.filter(({ _id }) => changes.has(_id) || expectations.has(_id))
  for (const [i, session] of merged.entries()) {
    if (i % sessionsATurn === 0) await turnOfEventLoop()
    const rows = expectations.get(session._id)
    const news = changes.get(session._id)
    // With the messages, so that readers get each message before what it expects.
    if (rows) {
      const head = Math.max(session.state.last_seq, news?.[0]?.last_seq ?? 0)
      session.expectations.merge(rows, { wanted: wanted.get(session._id) ?? 0, head })
    }
    if (news) mergeChanges(session, news)
    else wakeAll(session)
  }
}

const needsExpectations = (changes: ReadonlyMap<string, ChangeRow[]>) => {
  const now = Date.now()
  return (session: OpenSession) =>
    session.expectations.isStale ||
    session.expectations.isDue(now) ||
    changesExpectations(session, changes.get(session._id) ?? [])
}

async function unansweredOf(db: Db, sessions: OpenSession[]) {
  const rows: ExpectationRow[] = []
  for (const some of batchesOf(sessions, expectationsBatchSize)) {
    rows.push(...(await selectUnansweredOf(db, keysOf(some))))
  }
  return groupsOf(rows, ({ of }) => of)
}

async function refreshTeams(db: Db, sessions: OpenSession[]): Promise<void> {
  const rows = groupsOf(await selectTeams(db, keysOf(sessions)), ({ of }) => of)
  for (const session of sessions) mergeTeam(session, rows.get(session._id) ?? [])
}

async function refreshWords(db: Db, sessions: OpenSession[]): Promise<void> {
  const known = sessions.map(({ words }) => words.seq)
  const rows = groupsOf(await selectNewWords(db, { ...keysOf(sessions), known }), ({ of }) => of)
  for (const session of sessions) mergeWords(session, rows.get(session._id) ?? [])
}

const keysOf = (sessions: OpenSession[]) => ({
  organization_ids: sessions.map(({ organization_id }) => organization_id),
  ids: sessions.map(({ _id }) => _id),
})
