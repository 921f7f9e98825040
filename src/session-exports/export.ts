import type { Kysely } from 'kysely'
import type { Catalogue } from '../blueprints/catalogue/entries.js'
import type { Pieces } from '../contract.js'
import type { FetchInTurn } from '../database/long-lists.js'
import type { Database } from '../database/schema.js'
import { selectRatings } from '../session-ratings/queries.js'
import { isComplete } from '../session-ratings/view.js'
import { selectCharactersById } from '../simulation-sessions/cast-queries.js'
import { hasEnded } from '../simulation-sessions/lifecycle.js'
import { selectAssignments } from '../simulation-sessions/participant-queries.js'
import type { StoredSession } from '../simulation-sessions/queries.js'
import { scenarioOf } from '../simulation-sessions/scenario.js'
import type { Pause } from '../turns/slices.js'
import { formats } from './formats.js'
import { whoIsWho } from './people.js'
import { selectMessages, selectNames } from './queries.js'
import type { SessionFile } from './records.js'

type Db = Kysely<Database>

/**
 * All of a session but its messages. What others rated stays unknown until it has ended and the caller
 * has rated it.
 */
export async function openFile(
  db: Db,
  catalogue: Catalogue,
  session: StoredSession,
  { isNamed, user_id }: { isNamed: boolean; user_id: string },
): Promise<SessionFile> {
  const { organization_id, _id: session_id } = session
  const place = { organization_id, session_id }
  const scenario = await scenarioOf(db, catalogue, session)
  const places = await selectAssignments(db, place, { withRemoved: true })
  const cast = await selectCharactersById(db, organization_id, session.cast_ids)
  const all = hasEnded(session.status) ? await selectRatings(db, place) : []
  const own = all.filter(({ rater_id }) => rater_id === user_id)
  const ratings = isComplete(scenario.rubric, own) ? all : own
  const rater_ids = [...new Set(ratings.map(({ rater_id }) => rater_id))]
  const raters = await selectNames(db, organization_id, rater_ids)
  const who = whoIsWho({ places, cast, raters, isNamed })
  return { session, scenario, places, cast, ratings, who, isNamed }
}

interface Work {
  db: Db
  fetchInTurn: FetchInTurn
  pause: Pause
}

/**
 * A session piece by piece, with a pause before each. What was said stays as it is, so that the last message is all that has to
 * be known before: nobody holds a connection open for a slow reader.
 */
export async function* exportSession(
  { db, fetchInTurn, pause }: Work,
  file: SessionFile,
  format: keyof typeof formats,
): Pieces {
  const { organization_id, _id: session_id, last_seq: to } = file.session
  const { begin, write, between, end } = formats[format]
  yield* withPauses(begin(file), pause)
  for (let after = 0; after < to; ) {
    const part = { organization_id, session_id, after, to }
    const messages = await fetchInTurn(() => selectMessages(db, part))
    const last = messages.at(-1)?.seq
    if (last !== after + messages.length) throw new Error('Messages have gone meanwhile')
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
