import type { Insertable, Kysely, Selectable, Transaction } from 'kysely'
import { jsonb } from '../database/expressions.js'
import type { Database } from '../database/schema.js'
import type { OfSession } from '../simulation-sessions/queries.js'

type Table = Database['session_ratings']
export type StoredRating = Selectable<Table>

/** What a rating is about that is about nobody alone; an assignment's `_id` is never this. */
export const team = 'team'

const columns = ['rater_id', 'subject', 'criterion', 'value', 'comment', 'rated_at'] as const
export type Rated = Pick<StoredRating, (typeof columns)[number]>

/** The ratings of a session, each rater's together. */
export function selectRatings(
  db: Kysely<Database>,
  { organization_id, session_id }: OfSession,
): Promise<Rated[]> {
  return db
    .selectFrom('session_ratings')
    .select(columns)
    .where('organization_id', '=', organization_id)
    .where('session_id', '=', session_id)
    .orderBy('rater_id')
    .orderBy('subject')
    .orderBy('criterion')
    .execute()
}

/** Puts the ratings of one rater in the place of those they gave before. */
export async function replaceRatings(
  trx: Transaction<Database>,
  place: OfSession & { rater_id: string },
  ratings: Omit<Rated, 'rater_id'>[],
): Promise<void> {
  await trx
    .deleteFrom('session_ratings')
    .where('organization_id', '=', place.organization_id)
    .where('session_id', '=', place.session_id)
    .where('rater_id', '=', place.rater_id)
    .execute()
  const rows = ratings.map(({ value, ...rating }): Insertable<Table> => {
    return { ...place, ...rating, value: jsonb(value) }
  })
  if (rows.length > 0) await trx.insertInto('session_ratings').values(rows).execute()
}
