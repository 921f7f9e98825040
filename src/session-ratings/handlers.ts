import type { FastifyRequest } from 'fastify'
import { recordAuditEvents } from '../audit-events/record.js'
import type { Handler, JsonText, Schema } from '../contract.js'
import { jsonWhole } from '../database/lists/long-lists.js'
import type { Db, Trx } from '../database/schema.js'
import { ratingsFinal } from '../errors.js'
import { isBlinded } from '../experiments/assignment/blinding.js'
import type { Caller } from '../identity/authenticator.js'
import { callerOf } from '../identity/caller.js'
import { findSession, lockSession, requireObserver } from '../simulation-sessions/find-session.js'
import { hasEnded } from '../simulation-sessions/lifecycle.js'
import { addStoredBytes } from '../simulation-sessions/progress-queries.js'
import type { OfSession, StoredSession } from '../simulation-sessions/queries.js'
import { sessionEvent } from '../simulation-sessions/session-events.js'
import { scenarioOf } from '../simulation-sessions/start/scenario.js'
import { selectPeople, selectPlaces } from '../simulation-sessions/team/participant-queries.js'
import { observerPseudonym } from '../simulation-sessions/team/pseudonyms.js'
import { requireCountWithinLimit } from '../usage/require-limits.js'
import { checkRatings } from './check-ratings.js'
import { afterRating, type RatingPosition, selectRatingPage } from './list-queries.js'
import { requireRateable, requireRater } from './may-rate.js'
import { putOwnRating, selectOwnRating, selectSelfRatings } from './own-queries.js'
import { givenIn, isSameRating, ownCriteria, ownPlace, ownRatingFor } from './own-rating.js'
import * as queries from './queries.js'
import { isComplete, withRatings } from './view.js'

export const rateSession: Handler<'rateSession'> = async (request) => {
  const { db } = request
  const { catalogue } = request.server
  const { user_id: rater_id } = callerOf(request)
  const known = await db.transaction().execute(async (trx) => {
    const found = await lockSession(trx, request)
    const { session } = found
    const key = { organization_id: session.organization_id, session_id: session._id }
    // Removed participants were in the team too.
    const places = await selectPlaces(trx, key, { withRemoved: true })
    requireRater(found, rater_id, places)
    const { rubric } = await scenarioOf(trx, catalogue, session)
    checkRatings(request.body.ratings, rubric, new Set(places.map(({ _id }) => _id)))
    requireRateable(session)

    const arm = await armFor(request, trx, session)
    const own = { ...key, rater_id }
    const before = await queries.selectOwnRatings(trx, own)
    const given = asStored(request.body.ratings, before, session.now)
    const known = { session, rubric, arm }
    if (isSame(before, given)) return known
    // The rater has seen the arm and the ratings of others by now, and is not blind any more.
    if (isComplete(rubric, before)) throw ratingsFinal()
    // Locks the rater, so that two first ratings at the same time get one pseudonym.
    await selectPeople(trx, session.organization_id, [rater_id])
    const pseudonym = await observerPseudonym(trx, session.organization_id, rater_id)
    const bytes = await queries.countRatingBytes(trx, key)
    await queries.replaceRatings(trx, { ...own, pseudonym }, given)
    await storeRatingBytes(trx, request, key, { before: bytes })
    const criteria = [...new Set(given.map(({ criterion }) => criterion))]
    const metadata = { criteria, ratings: given.length }
    await recordAuditEvents(trx, request, [sessionEvent(session, 'session_rated', { metadata })])
    return known
  })
  // After the transaction, which would hold its locks while all ratings are read.
  return answerFor(request, known)
}

/** Adds the ratings to the bytes of a session. Throws 409 if they exceed the limit and are more than before. */
async function storeRatingBytes(
  trx: Trx,
  { server }: Pick<FastifyRequest, 'server'>,
  key: OfSession,
  { before, caller }: { before: number; caller?: Caller },
): Promise<void> {
  const adding = (await queries.countRatingBytes(trx, key)) - before
  const { defaults } = server.usage
  await requireCountWithinLimit(trx, defaults, key.organization_id, 'rating_bytes', {
    used: before,
    adding,
    ...(caller && { caller }),
  })
  await addStoredBytes(trx, key, adding)
}

export const listSessionRatings: Handler<'listSessionRatings'> = async (request) => {
  const { db } = request
  const { catalogue } = request.server
  const found = await findSession(request)
  requireObserver(found)
  const { session } = found
  const { rubric } = await scenarioOf(db, catalogue, session)
  return answerFor(request, { session, rubric, arm: await armFor(request, db, session) })
}

interface RatedSession {
  session: Pick<StoredSession, '_id' | 'organization_id' | 'status'>
  rubric: Schema<'RubricItem'>[]
  arm: StoredSession['arm']
}

/**
 * Answers with the ratings that the caller may see: only their own, and no arm and no self-ratings, until
 * they have rated the team by every criterion.
 */
async function answerFor(
  request: Pick<FastifyRequest, 'caller' | 'db' | 'fetchInTurn'>,
  { session, rubric, arm }: RatedSession,
): Promise<JsonText<Schema<'SessionRatings'>>> {
  const { db, fetchInTurn } = request
  const { user_id: rater_id } = callerOf(request)
  const key = { organization_id: session.organization_id, session_id: session._id }
  const complete = isComplete(rubric, await queries.selectTeamRated(db, { ...key, rater_id }))
  const filters = { ...key, only_rater_id: complete ? null : rater_id }
  const page = (after: RatingPosition | null, limit: number, longest: number) =>
    selectRatingPage(db, { ...filters, ...afterRating(after) }, limit, longest)
  const { rows } = await jsonWhole(fetchInTurn, page, null)
  const self_ratings = complete && hasEnded(session.status) ? await selectSelfRatings(db, key) : []
  return withRatings({ criteria: rubric, self_ratings, complete, arm: complete ? arm : null }, rows)
}

/** The arm of a session; null if it is hidden from the caller until the conclusion. */
async function armFor(
  request: Pick<FastifyRequest, 'caller'>,
  db: Db,
  { organization_id, experiment_id, arm }: StoredSession,
) {
  if (experiment_id === null) return arm
  const isHidden = await isBlinded(request, db, { organization_id, _id: experiment_id })
  return isHidden ? null : arm
}

type RatingFields = Omit<queries.Rated, 'rater_id' | 'pseudonym'>

/** A text that is equal for equal ratings. */
const keyOf = ({ criterion, subject, value, comment }: Omit<RatingFields, 'rated_at'>) =>
  JSON.stringify([criterion, subject, value, comment])

/** The ratings as they are stored. An unchanged rating keeps its `rated_at`. */
function asStored(
  ratings: Schema<'NewRating'>[],
  before: RatingFields[],
  now: string,
): RatingFields[] {
  const times = new Map(before.map((one) => [keyOf(one), one.rated_at]))
  return ratings.map(({ criterion, assignment_id, value, comment }) => {
    const rating = {
      criterion,
      subject: assignment_id || queries.team,
      value,
      comment: comment || null,
    }
    return { ...rating, rated_at: times.get(keyOf(rating)) ?? now }
  })
}

/** Whether both lists have the same ratings. */
function isSame(before: RatingFields[], after: RatingFields[]): boolean {
  const known = new Set(before.map(keyOf))
  return before.length === after.length && after.every((one) => known.has(keyOf(one)))
}

export const rateOneself: Handler<'rateOneself'> = async (request) =>
  request.db.transaction().execute(async (trx) => {
    const found = await lockSession(trx, request)
    const place = ownPlace(found)
    requireRateable(found.session)
    const criteria = await ownCriteria(request, trx, found)
    checkRatings(request.body.values, criteria, new Set(), 'values')
    const given = givenIn(request.body)
    const before = await selectOwnRating(trx, place)
    if (!before || !isSameRating(before, given)) {
      const { session } = found
      const bytes = await queries.countRatingBytes(trx, place)
      await putOwnRating(trx, { ...place, ...given, rated_at: session.now })
      await storeRatingBytes(trx, request, place, { before: bytes, caller: callerOf(request) })
      const { assignment_id } = place
      const metadata = { assignment_id, criteria: given.values.map(({ criterion }) => criterion) }
      await recordAuditEvents(trx, request, [
        sessionEvent(session, 'participant_rated_oneself', { metadata }),
      ])
    }
    return ownRatingFor(trx, place, criteria)
  })

export const getOwnRating: Handler<'getOwnRating'> = async (request) => {
  const found = await findSession(request)
  const place = ownPlace(found)
  requireRateable(found.session)
  return ownRatingFor(request.db, place, await ownCriteria(request, request.db, found))
}
