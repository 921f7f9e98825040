import { sql } from 'kysely'
import { jsonColumns } from '../database/expressions.js'
import { preparePage } from '../database/lists/lists.js'
import type { Order, Position } from '../database/lists/pages.js'
import type { ParametersOf } from '../database/statements.js'
import { isId } from '../formats/identifiers.js'
import type { OfSession } from '../simulation-sessions/queries.js'
import { team } from './queries.js'

interface Filters extends OfSession {
  /** Only the ratings of this rater; null for all raters. */
  only_rater_id: string | null
}

/** The sort columns, as the answer names them. */
type RatingColumn = 'rater_id' | 'assignment_id' | 'criterion'
export type RatingPosition = Position<RatingColumn>
const byRater: Order<RatingColumn> = {
  rater_id: isId,
  assignment_id: isId,
  criterion: () => true,
}

interface After {
  after_rater_id: string | null
  after_subject: string | null
  after_criterion: string | null
}

export function afterRating(position: RatingPosition | null): After {
  const { rater_id = null, assignment_id = null, criterion = null } = position ?? {}
  const subject = position && (assignment_id ?? team)
  return { after_rater_id: rater_id, after_subject: subject, after_criterion: criterion }
}

const columns = ['rater_id', 'criterion', 'value', 'comment', 'rated_at'] as const
/** Null for the team. The type is wrong about this, because a position has texts only. */
const assignment_id = sql<string>`nullif(subject, ${sql.lit(team)})`.as('assignment_id')

/** Ratings of a session, sorted by rater, participant and criterion. */
export const selectRatingPage = preparePage(
  'select_rating_page',
  (db, values: ParametersOf<Filters & After>) => {
    const { after_rater_id, after_subject, after_criterion } = values
    const { organization_id, session_id, only_rater_id } = values
    const later = sql<boolean>`(rater_id, subject, criterion) >
      (${after_rater_id}, ${after_subject}, ${after_criterion})`
    return db
      .selectFrom('session_ratings')
      .select([...jsonColumns('session_ratings', columns), assignment_id])
      .where('organization_id', '=', organization_id)
      .where('session_id', '=', session_id)
      .$if(only_rater_id !== null, (query) => query.where('rater_id', '=', only_rater_id))
      .$if(after_rater_id !== null, (query) => query.where(later))
      .orderBy('rater_id')
      .orderBy('subject')
      .orderBy('criterion')
  },
  // A value and a comment may have 10,000 characters each.
  { order: byRater, hasLongRows: true },
)
