import type { Schema } from '../contract.js'
import type { StoredSession } from '../simulation-sessions/queries.js'
import { type Rated, team } from './queries.js'

type Rubric = Schema<'RubricItem'>[]

/**
 * The ratings as one rater may see them: without those of others and without the arm until they have
 * rated the team by every criterion. Of what is asked for in words nothing need be said.
 */
export function ratingsFor(
  rater_id: string,
  arm: StoredSession['arm'],
  criteria: Rubric,
  ratings: Rated[],
): Schema<'SessionRatings'> {
  const own = ratings.filter((rating) => rating.rater_id === rater_id)
  const complete = isComplete(criteria, own)
  const seen = complete ? ratings : own
  return { criteria, ratings: seen.map(ratingOf), complete, arm: complete ? arm : null }
}

/** Whether a rater has rated the team by every criterion. */
export function isComplete(criteria: Rubric, own: Pick<Rated, 'subject' | 'criterion'>[]): boolean {
  const rated = new Set(own.filter(({ subject }) => subject === team).map((one) => one.criterion))
  const asked = criteria.filter(({ scale }) => scale.type !== 'text')
  return asked.length > 0 && asked.every(({ criterion }) => rated.has(criterion))
}

export const ratingOf = ({ subject, pseudonym, ...rating }: Rated): Schema<'Rating'> => ({
  ...rating,
  assignment_id: subject === team ? null : subject,
})
