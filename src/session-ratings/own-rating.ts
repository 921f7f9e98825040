import type { FastifyRequest } from 'fastify'
import type { Schema } from '../contract.js'
import type { Db } from '../database/schema.js'
import { notAParticipant, notJoined } from '../errors.js'
import type { FoundSession } from '../simulation-sessions/find-session.js'
import { scenarioOf } from '../simulation-sessions/start/scenario.js'
import { type OfPlace, type StoredOwnRating, selectOwnRating } from './own-queries.js'

type Answer = Schema<'OwnRating'>

/** The place of the caller. Throws 409 if they have none, or have never joined. */
export function ownPlace({ session, part }: FoundSession): OfPlace {
  const { place } = part
  if (!place) throw notAParticipant('rate themselves')
  if (place.joined_at === null) throw notJoined()
  const { organization_id, _id: session_id } = session
  return { organization_id, session_id, assignment_id: place._id }
}

/** The criteria by which participants rate themselves. Leaves out all others, and the beats of each. */
export async function ownCriteria(
  request: Pick<FastifyRequest, 'server'>,
  db: Db,
  { session }: FoundSession,
): Promise<Answer['criteria']> {
  const { rubric } = await scenarioOf(db, request.server.catalogue, session)
  return rubric
    .filter(({ rater }) => rater === 'participant')
    .map(({ criterion, question, scale }) => ({ criterion, question, scale }))
}

type Given = Pick<StoredOwnRating, 'values' | 'comment'>

export function givenIn({ values, comment }: Schema<'NewOwnRating'>): Given {
  const given = values.map(({ criterion, value }) => ({ criterion, value }))
  return { values: given, comment: comment || null }
}

/** Whether both have the same values, in any order, and the same comment. */
export function isSameRating(before: Given, after: Given): boolean {
  const textOf = ({ values, comment }: Given) =>
    JSON.stringify([
      comment,
      values.map((one) => JSON.stringify([one.criterion, one.value])).sort(),
    ])
  return textOf(before) === textOf(after)
}

/** What the participant has stored, with the criteria. */
export async function ownRatingFor(
  db: Db,
  place: OfPlace,
  criteria: Answer['criteria'],
): Promise<Answer> {
  const stored = await selectOwnRating(db, place)
  const { values = [], comment = null, rated_at = null } = stored ?? {}
  return { criteria, values, comment, rated_at }
}
