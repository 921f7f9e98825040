import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Trx } from '../../database/schema.js'

/** A random pseudonym: it cannot be computed from the user. */
export const newPseudonym = (prefix: string) => `${prefix}-${randomBytes(6).toString('hex')}`

/** The pseudonyms that users already have in an organization, by user id. */
export async function selectPseudonyms(
  trx: Trx,
  organization_id: string,
  participants: { user_id: string }[],
): Promise<Map<string, string>> {
  const user_ids = participants.map(({ user_id }) => user_id)
  // One row for each user: all places of a user have the same pseudonym.
  const { rows } = await sql<{ user_id: string; pseudonym: string }>`
    select user_id, pseudonym
    from unnest(${user_ids}::uuid[]) as person (user_id)
    cross join lateral (
      select pseudonym from session_assignments as place
      where place.organization_id = ${organization_id} and place.user_id = person.user_id
      limit 1
    ) as known`.execute(trx)
  return new Map(rows.map(({ user_id, pseudonym }) => [user_id, pseudonym]))
}

/**
 * The pseudonym of a user who rates or takes notes: the same in all sessions of the organization. It is
 * new before the first rating or note.
 */
export async function observerPseudonym(
  trx: Trx,
  organization_id: string,
  user_id: string,
): Promise<string> {
  const { rows } = await sql<{ pseudonym: string }>`
    (select pseudonym from session_ratings
      where organization_id = ${organization_id} and rater_id = ${user_id} limit 1)
    union all
    (select pseudonym from session_notes
      where organization_id = ${organization_id} and author_id = ${user_id} limit 1)
    limit 1`.execute(trx)
  return rows[0]?.pseudonym ?? newPseudonym('r')
}
