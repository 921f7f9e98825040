import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import { jsonb } from '../database/expressions.js'
import type { Database, Db, Trx } from '../database/schema.js'
import type { OfSession } from '../simulation-sessions/queries.js'
import { bytesOfRow } from '../simulation-sessions/stored-bytes.js'

export type StoredOwnRating = Selectable<Database['own_ratings']>
export type OfPlace = OfSession & Pick<StoredOwnRating, 'assignment_id'>

/** How a participant has rated themself; undefined if they have not. */
export function selectOwnRating(
  db: Db,
  { organization_id, session_id, assignment_id }: OfPlace,
): Promise<StoredOwnRating | undefined> {
  return db
    .selectFrom('own_ratings')
    .selectAll()
    .where('organization_id', '=', organization_id)
    .where('session_id', '=', session_id)
    .where('assignment_id', '=', assignment_id)
    .executeTakeFirst()
}

/** How all participants of a session have rated themselves. */
export function selectAllOwnRatings(
  db: Db,
  { organization_id, session_id }: OfSession,
): Promise<StoredOwnRating[]> {
  return db
    .selectFrom('own_ratings')
    .selectAll()
    .where('organization_id', '=', organization_id)
    .where('session_id', '=', session_id)
    .orderBy('assignment_id')
    .execute()
}

/** How participants have rated themselves, as those who rate them see it. */
export const selectSelfRatings = (db: Db, { organization_id, session_id }: OfSession) =>
  db
    .selectFrom('own_ratings')
    .select(['assignment_id', 'values', 'comment', 'rated_at'])
    .where('organization_id', '=', organization_id)
    .where('session_id', '=', session_id)
    .orderBy('assignment_id')
    .execute()

/** How many bytes a session has of ratings that participants gave themselves. */
export async function countOwnRatingBytes(
  trx: Trx,
  { organization_id, session_id }: OfSession,
): Promise<number> {
  const { bytes } = await trx
    .selectFrom('own_ratings')
    .select(
      sql<number>`coalesce(
        sum(octet_length("values"::text) + octet_length(to_json(coalesce(comment, ''))::text)
          + ${bytesOfRow}),
        0)::bigint`.as('bytes'),
    )
    .where('organization_id', '=', organization_id)
    .where('session_id', '=', session_id)
    .executeTakeFirstOrThrow()
  return bytes
}

/** Replaces what a participant has stored before. */
export async function putOwnRating(
  trx: Trx,
  { values, comment, rated_at, ...place }: StoredOwnRating,
): Promise<void> {
  const given = { values: jsonb(values), comment, rated_at }
  await trx
    .insertInto('own_ratings')
    .values({ ...place, ...given })
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'session_id', 'assignment_id']).doUpdateSet(given),
    )
    .execute()
}
