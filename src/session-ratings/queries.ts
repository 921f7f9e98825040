import type { Insertable, Selectable } from 'kysely'
import { sql } from 'kysely'
import { jsonb } from '../database/expressions.js'
import type { Database, Db, Trx } from '../database/schema.js'
import type { OfSession } from '../simulation-sessions/queries.js'
import { bytesOfRow } from '../simulation-sessions/stored-bytes.js'
import { countOwnRatingBytes } from './own-queries.js'

type Table = Database['session_ratings']
export type StoredRating = Selectable<Table>

/** The `subject` of a rating of the whole team; otherwise it is the `_id` of a place. */
export const team = 'team'

const columns = [
  'rater_id',
  'pseudonym',
  'subject',
  'criterion',
  'value',
  'comment',
  'rated_at',
] as const
export type Rated = Pick<StoredRating, (typeof columns)[number]>

/** The ratings of a session, sorted by rater. */
export function selectRatings(
  db: Db,
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

/** The ratings of one rater of a session. */
export function selectOwnRatings(
  db: Db,
  { organization_id, session_id, rater_id }: OfSession & { rater_id: string },
): Promise<Rated[]> {
  return db
    .selectFrom('session_ratings')
    .select(columns)
    .where('organization_id', '=', organization_id)
    .where('session_id', '=', session_id)
    .where('rater_id', '=', rater_id)
    .orderBy('subject')
    .orderBy('criterion')
    .execute()
}

/** The criteria by which one rater has rated the team of a session. */
export function selectTeamRated(
  db: Db,
  { organization_id, session_id, rater_id }: OfSession & { rater_id: string },
): Promise<Pick<Rated, 'subject' | 'criterion'>[]> {
  return db
    .selectFrom('session_ratings')
    .select(['subject', 'criterion'])
    .where('organization_id', '=', organization_id)
    .where('session_id', '=', session_id)
    .where('rater_id', '=', rater_id)
    .where('subject', '=', team)
    .execute()
}

/** How many bytes all ratings of a session have, also those that participants gave themselves. */
export async function countRatingBytes(
  trx: Trx,
  { organization_id, session_id }: OfSession,
): Promise<number> {
  const { bytes } = await trx
    .selectFrom('session_ratings')
    .select(
      sql<number>`coalesce(
        sum(octet_length(value::text) + octet_length(to_json(coalesce(comment, ''))::text)
          + ${bytesOfRow}),
        0)::bigint`.as('bytes'),
    )
    .where('organization_id', '=', organization_id)
    .where('session_id', '=', session_id)
    .executeTakeFirstOrThrow()
  return bytes + (await countOwnRatingBytes(trx, { organization_id, session_id }))
}

/** The user ids of those who have rated a session. */
export async function selectRaters(
  db: Db,
  { organization_id, session_id }: OfSession,
): Promise<string[]> {
  const rows = await db
    .selectFrom('session_ratings')
    .select('rater_id')
    .distinct()
    .where('organization_id', '=', organization_id)
    .where('session_id', '=', session_id)
    .execute()
  return rows.map(({ rater_id }) => rater_id)
}

/** Replaces the ratings of one rater. */
export async function replaceRatings(
  trx: Trx,
  rater: OfSession & Pick<Rated, 'rater_id' | 'pseudonym'>,
  ratings: Omit<Rated, 'rater_id' | 'pseudonym'>[],
): Promise<void> {
  await trx
    .deleteFrom('session_ratings')
    .where('organization_id', '=', rater.organization_id)
    .where('session_id', '=', rater.session_id)
    .where('rater_id', '=', rater.rater_id)
    .execute()
  const rows = ratings.map(({ value, ...rating }): Insertable<Table> => {
    return { ...rater, ...rating, value: jsonb(value) }
  })
  if (rows.length > 0) await trx.insertInto('session_ratings').values(rows).execute()
}
