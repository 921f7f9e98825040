import { sql } from 'kysely'
import type { Db, Trx } from '../database/schema.js'
import type { OpaqueToken } from '../identity/opaque-token.js'
import type { OfSession } from '../simulation-sessions/queries.js'

/** The links with their places and their users. */
const linksWithPeople = (db: Db) =>
  db
    .selectFrom('seat_links')
    .innerJoin('session_assignments as place', (join) =>
      join
        .onRef('place.organization_id', '=', 'seat_links.organization_id')
        .onRef('place._id', '=', 'seat_links.assignment_id'),
    )
    .innerJoin('users', (join) =>
      join
        .onRef('users.organization_id', '=', 'place.organization_id')
        .onRef('users._id', '=', 'place.user_id'),
    )

const isGuest = sql<boolean>`users.guest_of is not null`.as('is_guest')

/** The contract's SeatLink, for each place that was not removed. */
export function selectSeatLinks(db: Db, { organization_id, session_id }: OfSession) {
  return linksWithPeople(db)
    .select(['seat_links.assignment_id', 'place.user_id', 'users.full_name', isGuest])
    .select(['seat_links.created_at', 'seat_links.taken_at', 'seat_links.revoked_at'])
    .where('seat_links.organization_id', '=', organization_id)
    .where('seat_links.session_id', '=', session_id)
    .where('place.removed_at', 'is', null)
    .orderBy('seat_links.assignment_id')
    .execute()
}

/** The ids of the places of a session that have a link. */
export async function selectLinkedPlaces(
  db: Db,
  { organization_id, session_id }: OfSession,
): Promise<Set<string>> {
  const rows = await db
    .selectFrom('seat_links')
    .select('assignment_id')
    .where('organization_id', '=', organization_id)
    .where('session_id', '=', session_id)
    .execute()
  return new Set(rows.map(({ assignment_id }) => assignment_id))
}

/** The links of some places of a session, which is locked. */
export function selectHolders(
  trx: Trx,
  { organization_id, session_id }: OfSession,
  assignment_ids: string[],
) {
  return linksWithPeople(trx)
    .select(['seat_links.assignment_id', 'place.user_id', 'token_hash', 'revoked_at'])
    .where('seat_links.organization_id', '=', organization_id)
    .where('seat_links.session_id', '=', session_id)
    .where('seat_links.assignment_id', 'in', assignment_ids)
    .execute()
}

/** The place of a link, with its user. A lock keeps the link and the user until the transaction ends. */
export function selectSeatByToken(
  db: Db,
  { organization_id, hash }: OpaqueToken,
  { lock }: { lock?: 'update' } = {},
) {
  return linksWithPeople(db)
    .select(['seat_links.organization_id', 'seat_links.session_id', 'seat_links.assignment_id'])
    .select(['place.user_id', 'username', 'full_name', 'is_active', isGuest])
    .select(['taken_at', 'revoked_at', 'joined_at', 'removed_at'])
    .where('seat_links.organization_id', '=', organization_id)
    .where('token_hash', '=', hash)
    .$if(lock === 'update', (query) => query.forUpdate('seat_links').forShare('users'))
    .executeTakeFirst()
}

/** Creates new links for places. Their earlier links stop working. */
export async function upsertSeatLinks(
  trx: Trx,
  { organization_id, session_id }: OfSession,
  links: { assignment_id: string; token_hash: string }[],
  { created_at, created_by }: { created_at: string; created_by: string },
): Promise<void> {
  const rows = links.map((link) => ({
    organization_id,
    session_id,
    ...link,
    created_at,
    created_by,
    revoked_at: null,
    taken_at: null,
  }))
  await trx
    .insertInto('seat_links')
    .values(rows)
    .onConflict((conflict) =>
      conflict.constraint('seat_links_primary_key').doUpdateSet((eb) => ({
        token_hash: eb.ref('excluded.token_hash'),
        created_at: eb.ref('excluded.created_at'),
        created_by: eb.ref('excluded.created_by'),
        revoked_at: null,
        taken_at: null,
      })),
    )
    .execute()
}

export async function updateSeatLink(
  trx: Trx,
  { organization_id, assignment_id }: { organization_id: string; assignment_id: string },
  change: { revoked_at: string } | { taken_at: string },
): Promise<void> {
  await trx
    .updateTable('seat_links')
    .set(change)
    .where('organization_id', '=', organization_id)
    .where('assignment_id', '=', assignment_id)
    .execute()
}
