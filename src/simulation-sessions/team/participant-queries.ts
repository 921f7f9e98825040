import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { Schema } from '../../contract.js'
import type { Database, Db, Trx } from '../../database/schema.js'
import { type ParametersOf, prepare } from '../../database/statements.js'
import { createId, isId } from '../../formats/identifiers.js'
import type { OfSession } from '../queries.js'
import { newPseudonym, selectPseudonyms } from './pseudonyms.js'

export type StoredPlace = Selectable<Database['session_assignments']>

/** The place of a user in a session. Removed participants have none. */
export async function selectPlace(
  db: Db,
  { organization_id, session_id, user_id }: PlaceKey,
): Promise<StoredPlace | undefined> {
  const [place] = await selectPresent(db, { organization_id, session_id, user_id })
  return place
}

export const placeColumns = [
  'organization_id',
  '_id',
  'session_id',
  'user_id',
  'role_key',
  'pseudonym',
  'joined_at',
  'left_at',
  'consent_version',
  'consent_sha256',
  'removed_at',
  'last_spoke_at',
  'last_online_at',
  'team_seq',
  'stored_bytes',
  'created_at',
] as const

type PlaceKey = OfSession & { user_id: string }

const selectPresent = prepare(
  'select_place',
  (db, { organization_id, session_id, user_id }: ParametersOf<PlaceKey>) =>
    db
      .selectFrom('session_assignments')
      .select(placeColumns)
      .where('organization_id', '=', organization_id)
      .where('session_id', '=', session_id)
      .where('user_id', '=', user_id)
      .where('removed_at', 'is', null),
)

/**
 * Locks users of an organization by their ids, sorted by id, without guests of other sessions. They
 * cannot be deleted, and no other session can give them a pseudonym, before the transaction ends.
 */
export function selectPeople(
  trx: Trx,
  organization_id: string,
  ids: string[],
  session_id: string | null = null,
) {
  return trx
    .selectFrom('users')
    .select(['_id', 'role', 'is_bot', 'is_active', 'full_name', 'guest_of'])
    .where('organization_id', '=', organization_id)
    .where(sql<boolean>`(guest_of is null or guest_of = ${session_id}::uuid)`)
    .where(sql<boolean>`_id = any(${ids.filter(isId)}::uuid[])`)
    .orderBy('_id')
    .forNoKeyUpdate()
    .execute()
}

/** The participants of a session with their names, in the order in which they were added. */
export function selectPlaces(
  db: Db,
  { organization_id, session_id }: OfSession,
  { withRemoved } = { withRemoved: false },
) {
  return db
    .selectFrom('session_assignments as place')
    .innerJoin('users', (join) =>
      join
        .onRef('users.organization_id', '=', 'place.organization_id')
        .onRef('users._id', '=', 'place.user_id'),
    )
    .selectAll('place')
    .select(['full_name', 'username', 'avatar_url', 'is_active'])
    .select(sql<boolean>`guest_of is not null`.as('is_guest'))
    .where('place.organization_id', '=', organization_id)
    .where('place.session_id', '=', session_id)
    .$if(!withRemoved, (query) => query.where('place.removed_at', 'is', null))
    .orderBy('place._id')
    .execute()
}

/** A place with the names of its user. */
export type Participant = Awaited<ReturnType<typeof selectPlaces>>[number]

/**
 * Counts the participants of a session, and those who have joined and not left. Until the end, those who
 * are inactive do not count as joined. The end makes guests inactive.
 */
export function countParticipants(
  db: Db,
  { organization_id, session_id }: OfSession,
  hasEnded: boolean,
) {
  return db
    .selectFrom('session_assignments as place')
    .innerJoin('users', (join) =>
      join
        .onRef('users.organization_id', '=', 'place.organization_id')
        .onRef('users._id', '=', 'place.user_id'),
    )
    .select((eb) => [
      eb.fn.countAll<number>().as('participants'),
      eb.fn
        .countAll<number>()
        .filterWhere('joined_at', 'is not', null)
        .filterWhere('left_at', 'is', null)
        .filterWhere(sql<boolean>`(is_active or ${hasEnded})`)
        .as('joined'),
    ])
    .where('place.organization_id', '=', organization_id)
    .where('session_id', '=', session_id)
    .where('removed_at', 'is', null)
    .executeTakeFirstOrThrow()
}

/**
 * Adds participants under the pseudonyms that they have in the organization. A removed participant gets
 * the old place back.
 */
export async function insertPlaces(
  trx: Trx,
  session: OfSession,
  participants: Schema<'SessionParticipant'>[],
  team_seq = 0,
): Promise<void> {
  if (participants.length === 0) return
  const known = await selectPseudonyms(trx, session.organization_id, participants)
  const rows = participants.map(({ user_id, role_key }) => {
    const pseudonym = known.get(user_id) ?? newPseudonym('p')
    return { ...session, _id: createId(), user_id, role_key: role_key || null, pseudonym, team_seq }
  })
  await trx
    .insertInto('session_assignments')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'session_id', 'user_id']).doUpdateSet((eb) => ({
        role_key: eb.ref('excluded.role_key'),
        removed_at: null,
        team_seq,
      })),
    )
    .execute()
}

export async function updatePlace(
  trx: Trx,
  { organization_id, _id }: Pick<StoredPlace, 'organization_id' | '_id'>,
  change: Partial<
    Pick<
      StoredPlace,
      | ('role_key' | 'joined_at' | 'left_at' | 'removed_at' | 'last_spoke_at' | 'team_seq')
      | ('consent_version' | 'consent_sha256' | 'stored_bytes')
    >
  >,
): Promise<void> {
  await trx
    .updateTable('session_assignments')
    .set(change)
    .where('organization_id', '=', organization_id)
    .where('_id', '=', _id)
    .execute()
}

export async function deletePlaces(
  trx: Trx,
  organization_id: string,
  ids: string[],
): Promise<void> {
  if (ids.length === 0) return
  await trx
    .deleteFrom('session_assignments')
    .where('organization_id', '=', organization_id)
    .where('_id', 'in', ids)
    .execute()
}
