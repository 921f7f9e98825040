import type { Catalogue } from '../blueprints/catalogue/entries.js'
import type { Pieces } from '../contract.js'
import type { FetchInTurn } from '../database/lists/long-lists.js'
import type { Db } from '../database/schema.js'
import { selectNotes } from '../session-notes/queries.js'
import { selectAllOwnRatings } from '../session-ratings/own-queries.js'
import { selectRatings } from '../session-ratings/queries.js'
import { isComplete } from '../session-ratings/view.js'
import { selectDecisions } from '../simulation-sessions/decisions/queries.js'
import { hasEnded } from '../simulation-sessions/lifecycle.js'
import type { StoredSession } from '../simulation-sessions/queries.js'
import { scenarioOf } from '../simulation-sessions/start/scenario.js'
import { selectCharactersById } from '../simulation-sessions/team/cast-queries.js'
import { selectPlaces } from '../simulation-sessions/team/participant-queries.js'
import {
  countTrainerMessages,
  selectTrainerMessages,
  type TrainerMessage,
} from '../trainer-messages/queries.js'
import type { Pause } from '../turns/slices.js'
import { formats } from './formats.js'
import { whoIsWho } from './people.js'
import { selectMessages, selectNames, selectPauses } from './queries.js'
import type { SessionFile } from './records.js'

/** The caller who exports a session. */
interface Viewer {
  user_id: string
  isNamed: boolean
  /** Whether the file has private words. */
  showsWords: boolean
  appUrl: string
}

/**
 * Reads all of a session except its messages and private words. The ratings of others, and those that
 * participants gave themselves, are included only after the session has ended and the caller has rated it.
 */
export async function openFile(
  db: Db,
  catalogue: Catalogue,
  session: StoredSession,
  { isNamed, showsWords, user_id, appUrl }: Viewer,
): Promise<SessionFile> {
  const { organization_id, _id: session_id } = session
  const key = { organization_id, session_id }
  const scenario = await scenarioOf(db, catalogue, session)
  const places = await selectPlaces(db, key, { withRemoved: true })
  const cast = await selectCharactersById(db, organization_id, session.cast_ids)
  const pauses = await selectPauses(db, key)
  const decisions = await selectDecisions(db, key)
  const notes = await selectNotes(db, key)
  const all = hasEnded(session.status) ? await selectRatings(db, key) : []
  const own = all.filter(({ rater_id }) => rater_id === user_id)
  const hasRated = isComplete(scenario.rubric, own)
  const ratings = hasRated ? all : own
  const self_ratings = hasRated ? await selectAllOwnRatings(db, key) : []
  const rater_ids = ratings.map(({ rater_id }) => rater_id)
  const observers = new Set([...rater_ids, ...notes.map(({ author_id }) => author_id)])
  const raters = await selectNames(db, organization_id, [...observers])
  const who = whoIsWho({ places, cast, raters, isNamed })
  const words = showsWords ? await countTrainerMessages(db, key) : 0
  const records = { pauses, decisions, notes, ratings, self_ratings, words }
  return { session, scenario, places, cast, ...records, who, isNamed, appUrl }
}

/** Private words may have 10,000 characters each. */
const wordsPerPiece = 50

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
  const { begin, write, between, writeWords, end } = formats[format]
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
  for await (const words of wordPages(db, fetchInTurn, file)) {
    await pause()
    yield writeWords(file, words)
  }
  yield* withPauses(end(file), pause)
}

/** Reads as many private words as there were when the export began. */
async function* wordPages(
  db: Db,
  fetchInTurn: FetchInTurn,
  { session, words: count }: SessionFile,
): AsyncGenerator<TrainerMessage[]> {
  const { organization_id, _id: session_id } = session
  let after = 0
  for (let left = count; left > 0; ) {
    const limit = Math.min(left, wordsPerPiece)
    const filters = { organization_id, session_id, after, limit, assignment_id: null }
    const words = await fetchInTurn(() => selectTrainerMessages(db, filters))
    const last = words.at(-1)
    if (!last) return
    yield words
    after = last.seq
    left -= words.length
  }
}

async function* withPauses(pieces: Iterable<string>, pause: Pause): Pieces {
  await pause()
  for (const piece of pieces) {
    yield piece
    await pause()
  }
}
