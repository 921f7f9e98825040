import { setImmediate as turnOfEventLoop } from 'node:timers/promises'
import { batchesOf } from '../../database/batches.js'
import { groupsOf } from '../../database/groups.js'
import type { Db } from '../../database/schema.js'
import { cursorOf, mergeChanges, mergeTeam, mergeWords, type OpenSession } from './open-session.js'
import { selectChanges } from './queries.js'
import { selectPlaces, teamBatchSize } from './team-queries.js'
import { selectNewWords, wordsBatchSize } from './word-queries.js'

/** How many sessions are merged before other work gets the event loop. */
const sessionsATurn = 8

/**
 * Queries what has changed in some sessions, and merges it. Teams come first, then private words: so
 * readers know each participant before their first message, and get all of it before the session ends.
 */
export async function refreshSessions(db: Db, sessions: OpenSession[]): Promise<void> {
  const changes = await selectChanges(db, sessions.map(cursorOf))
  const changed = sessions.filter(({ _id }) => changes.has(_id))
  const stateOf = ({ _id }: OpenSession) => changes.get(_id)?.[0]
  const withNewTeam = changed.filter((one) => (stateOf(one)?.team_seq ?? 0) > one.team.seq)
  for (const some of batchesOf(withNewTeam, teamBatchSize)) await refreshTeams(db, some)
  const withNewWords = changed.filter((one) => (stateOf(one)?.trainer_seq ?? 0) > one.words.seq)
  for (const some of batchesOf(withNewWords, wordsBatchSize)) await refreshWords(db, some)
  for (const [i, session] of changed.entries()) {
    if (i % sessionsATurn === 0) await turnOfEventLoop()
    mergeChanges(session, changes.get(session._id) ?? [])
  }
}

async function refreshTeams(db: Db, sessions: OpenSession[]): Promise<void> {
  const rows = groupsOf(await selectPlaces(db, keysOf(sessions)), ({ of }) => of)
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
