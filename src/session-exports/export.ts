import type { Catalogue } from '../blueprints/catalogue/entries.js'
import type { Pieces } from '../contract.js'
import type { FetchInTurn } from '../database/lists/long-lists.js'
import type { Db } from '../database/schema.js'
import { selectRatings } from '../session-ratings/queries.js'
import { isComplete } from '../session-ratings/view.js'
import { hasEnded } from '../simulation-sessions/lifecycle.js'
import type { StoredSession } from '../simulation-sessions/queries.js'
import { scenarioOf } from '../simulation-sessions/start/scenario.js'
import { selectCharactersById } from '../simulation-sessions/team/cast-queries.js'
import { selectAssignments } from '../simulation-sessions/team/participant-queries.js'
import type { Pause } from '../turns/slices.js'
import { formats } from './formats.js'
import { whoIsWho } from './people.js'
import { selectMessages, selectNames } from './queries.js'
import type { SessionFile } from './records.js'

/**
 * Reads all of a session except its messages. The ratings of others are included only after the session
 * has ended and the caller has rated it.
 */
export async function openFile(
  db: Db,
  catalogue: Catalogue,
  session: StoredSession,
  { isNamed, user_id }: { isNamed: boolean; user_id: string },
): Promise<SessionFile> {
  const { organization_id, _id: session_id } = session
  const key = { organization_id, session_id }
  const scenario = await scenarioOf(db, catalogue, session)
  const places = await selectAssignments(db, key, { withRemoved: true })
  const cast = await selectCharactersById(db, organization_id, session.cast_ids)
  const all = hasEnded(session.status) ? await selectRatings(db, key) : []
  const own = all.filter(({ rater_id }) => rater_id === user_id)
  const ratings = isComplete(scenario.rubric, own) ? all : own
  const rater_ids = [...new Set(ratings.map(({ rater_id }) => rater_id))]
  const raters = await selectNames(db, organization_id, rater_ids)
  const who = whoIsWho({ places, cast, raters, isNamed })
  return { session, scenario, places, cast, ratings, who, isNamed }
}

interface ExportResources {
  db: Db
  fetchInTurn: FetchInTurn
  pause: Pause
}

/**
 * Writes a session piece by piece, with a pause before each. Messages never change, so the last `seq` at
 * the beginning says which ones to read, and no database connection stays open for a slow reader.
 */
export async function* exportSession(
  { db, fetchInTurn, pause }: ExportResources,
  file: SessionFile,
  format: keyof typeof formats,
): Pieces {
  const { organization_id, _id: session_id, last_seq: to } = file.session
  const { begin, write, between, end } = formats[format]
  yield* withPauses(begin(file), pause)
  for (let after = 0; after < to; ) {
    const range = { organization_id, session_id, after, to }
    const messages = await fetchInTurn(() => selectMessages(db, range))
    const last = messages.at(-1)?.seq
    if (last !== after + messages.length) throw new Error('Messages were deleted during the export')
    await pause()
    yield (after > 0 ? between : '') + write(file, messages)
    after = last
  }
  yield* withPauses(end(file), pause)
}

async function* withPauses(pieces: Iterable<string>, pause: Pause): Pieces {
  await pause()
  for (const piece of pieces) {
    yield piece
    await pause()
  }
}
