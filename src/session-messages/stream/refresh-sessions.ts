import { setImmediate as turnOfEventLoop } from 'node:timers/promises'
import { batchesOf } from '../../database/batches.js'
import type { Db } from '../../database/schema.js'
import { cursorOf, mergeChanges, mergeTeam, type OpenSession } from './open-session.js'
import { selectChanges } from './queries.js'
import { type PlaceRow, selectPlaces, teamBatchSize } from './team-queries.js'

/** How many sessions are merged before other work gets the event loop. */
const sessionsATurn = 8

/**
 * Queries what has changed in some sessions, and merges it. Teams come first: so readers know each
 * participant before their first message, and get all changes of a team before the session ends.
 */
export async function refreshSessions(db: Db, sessions: OpenSession[]): Promise<void> {
  const changes = await selectChanges(db, sessions.map(cursorOf))
  const changed = sessions.filter(({ _id }) => changes.has(_id))
  const withNewTeam = changed.filter(({ _id, team }) => {
    const [first] = changes.get(_id) ?? []
    return first && first.team_seq > team.seq
  })
  for (const some of batchesOf(withNewTeam, teamBatchSize)) await refreshTeams(db, some)
  for (const [i, session] of changed.entries()) {
    if (i % sessionsATurn === 0) await turnOfEventLoop()
    mergeChanges(session, changes.get(session._id) ?? [])
  }
}

async function refreshTeams(db: Db, sessions: OpenSession[]): Promise<void> {
  const rows = await selectPlaces(db, {
    organization_ids: sessions.map(({ organization_id }) => organization_id),
    ids: sessions.map(({ _id }) => _id),
  })
  const bySession = new Map<string, PlaceRow[]>()
  for (const row of rows) {
    const places = bySession.get(row.of)
    if (places) places.push(row)
    else bySession.set(row.of, [row])
  }
  for (const session of sessions) mergeTeam(session, bySession.get(session._id) ?? [])
}
