import { randomBytes } from 'node:crypto'
import type { Kysely, Selectable, Transaction } from 'kysely'
import { sql } from 'kysely'
import type { Schema } from '../contract.js'
import type { Database } from '../database/schema.js'
import { createId, isId } from '../identifiers.js'
import type { OfSession } from './queries.js'

type Db = Kysely<Database>
type Trx = Transaction<Database>
export type StoredAssignment = Selectable<Database['session_assignments']>

/** A place in a session, unless its holder was taken out. */
export function selectAssignment(
  db: Db,
  { organization_id, session_id, user_id }: OfSession & { user_id: string },
): Promise<StoredAssignment | undefined> {
  return db
    .selectFrom('session_assignments')
    .selectAll()
    .where('organization_id', '=', organization_id)
    .where('session_id', '=', session_id)
    .where('user_id', '=', user_id)
    .where('removed_at', 'is', null)
    .executeTakeFirst()
}

/**
 * Who of an organization has these ids. Until they have their places nobody takes them away, nor
 * gives them a pseudonym in another session.
 */
export function selectPeople(trx: Trx, organization_id: string, ids: string[]) {
  return trx
    .selectFrom('users')
    .select(['_id', 'role', 'is_bot', 'is_active', 'full_name'])
    .where('organization_id', '=', organization_id)
    .where(sql<boolean>`_id = any(${ids.filter(isId)}::uuid[])`)
    .orderBy('_id')
    .forNoKeyUpdate()
    .execute()
}

/** The participants of a session with their names, in the order in which they came. */
export function selectAssignments(
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
    .select(['full_name', 'username'])
    .where('place.organization_id', '=', organization_id)
    .where('place.session_id', '=', session_id)
    .$if(!withRemoved, (query) => query.where('place.removed_at', 'is', null))
    .orderBy('place._id')
    .execute()
}

/** Somebody's place in a session, with their names. */
export type Participant = Awaited<ReturnType<typeof selectAssignments>>[number]

/** How many take part, and how many of them have joined and not left. */
export function countParticipants(db: Db, { organization_id, session_id }: OfSession) {
  return db
    .selectFrom('session_assignments')
    .select((eb) => [
      eb.fn.countAll<number>().as('participants'),
      eb.fn
        .countAll<number>()
        .filterWhere('joined_at', 'is not', null)
        .filterWhere('left_at', 'is', null)
        .as('joined'),
    ])
    .where('organization_id', '=', organization_id)
    .where('session_id', '=', session_id)
    .where('removed_at', 'is', null)
    .executeTakeFirstOrThrow()
}

/** Gives people places under the pseudonym they have in the organization. A removed one comes back. */
export async function insertAssignments(
  trx: Trx,
  place: OfSession,
  participants: Schema<'SessionParticipant'>[],
): Promise<void> {
  if (participants.length === 0) return
  const known = await selectPseudonyms(trx, place.organization_id, participants)
  const rows = participants.map(({ user_id, role_key }) => {
    const pseudonym = known.get(user_id) ?? newPseudonym('p')
    return { ...place, _id: createId(), user_id, role_key: role_key || null, pseudonym }
  })
  await trx
    .insertInto('session_assignments')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['organization_id', 'session_id', 'user_id'])
        .doUpdateSet((eb) => ({ role_key: eb.ref('excluded.role_key'), removed_at: null })),
    )
    .execute()
}

/** Made of chance: nobody can compute it from who it is. */
export const newPseudonym = (prefix: string) => `${prefix}-${randomBytes(6).toString('hex')}`

async function selectPseudonyms(
  trx: Trx,
  organization_id: string,
  participants: { user_id: string }[],
): Promise<Map<string, string>> {
  const user_ids = participants.map(({ user_id }) => user_id)
  // One row for each person: all of a person's places have the same pseudonym.
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

export async function updateAssignment(
  trx: Trx,
  { organization_id, _id }: Pick<StoredAssignment, 'organization_id' | '_id'>,
  change: Partial<
    Pick<StoredAssignment, 'role_key' | 'joined_at' | 'left_at' | 'removed_at' | 'last_spoke_at'>
  >,
): Promise<void> {
  await trx
    .updateTable('session_assignments')
    .set(change)
    .where('organization_id', '=', organization_id)
    .where('_id', '=', _id)
    .execute()
}

export async function deleteAssignments(
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
