import type { Insertable, Kysely, Selectable, Transaction } from 'kysely'
import { sql } from 'kysely'
import { timestamp } from '../database/expressions.js'
import type { Database } from '../database/schema.js'
import { directoryColumns, userColumns } from './columns.js'
import { freeUsername } from './username.js'

type Db = Kysely<Database>
type UserRow = Selectable<Database['users']>
export type NewUser = Insertable<Database['users']>

export function selectUsers(db: Db, organization_id: string) {
  return db
    .selectFrom('users')
    .select(userColumns)
    .where('organization_id', '=', organization_id)
    .orderBy('_id')
}

/** Everybody with the directory fields only, but for the viewer, who is there in full. */
export function selectDirectory(db: Db, organization_id: string, viewer_id: string) {
  function ownOnly<Column extends keyof UserRow>(column: Column, others: string) {
    const empty = sql.raw(others)
    return sql<
      UserRow[Column]
    >`case when _id = ${viewer_id} then ${sql.ref(column)} else ${empty} end`
  }
  return db
    .selectFrom('users')
    .select([
      ...directoryColumns,
      ownOnly('education', `'[]'::jsonb`).as('education'),
      ownOnly('certifications', `'[]'::jsonb`).as('certifications'),
      ownOnly('hobbies', `'[]'::jsonb`).as('hobbies'),
      ownOnly('career_goals', `'{}'::jsonb`).as('career_goals'),
      ownOnly('metadata', `'{}'::jsonb`).as('metadata'),
      sql<string | null>`case when _id = ${viewer_id} then ${timestamp('last_seen')} end`.as(
        'last_seen',
      ),
    ])
    .where('organization_id', '=', organization_id)
    .orderBy('_id')
}

/**
 * Inserts users, each under the first free name like the `username` given. Whoever else is being
 * inserted at the same time, the unique constraint decides who has a name.
 */
export async function insertUsers(trx: Transaction<Database>, users: NewUser[]) {
  const inserted = []
  let waiting = users
  let taken = new Set<string>()
  while (waiting.length > 0) {
    const named = waiting.map((user) => {
      const username = freeUsername(user.username, taken)
      taken.add(username)
      return { ...user, username }
    })
    const rows = await trx
      .insertInto('users')
      .values(named)
      .onConflict((conflict) => conflict.constraint('users_username_unique').doNothing())
      .returning(userColumns)
      .execute()
    inserted.push(...rows)
    const done = new Set(rows.map(({ _id }) => _id))
    waiting = waiting.filter(({ _id }) => !done.has(_id))
    taken = await selectUsernamesLike(trx, waiting)
  }
  return inserted
}

async function selectUsernamesLike(db: Db, users: NewUser[]): Promise<Set<string>> {
  const [first] = users
  if (!first) return new Set()
  // A number of up to four digits may have taken the end of a name.
  const stems = users.map(({ username }) => username.slice(0, 46))
  const rows = await db
    .selectFrom('users')
    .select('username')
    .where('organization_id', '=', first.organization_id)
    .where(
      sql<boolean>`exists (select from unnest(${stems}::text[]) as stem where starts_with(username, stem))`,
    )
    .execute()
  return new Set(rows.map(({ username }) => username))
}

/** Claims an e-mail address for a user, in every organization. */
export async function insertEmail(
  trx: Transaction<Database>,
  { email, organization_id, _id }: NewUser,
): Promise<void> {
  await trx
    .insertInto('email_registry')
    .values({ email: email.toLowerCase(), organization_id, user_id: _id })
    .execute()
}

export async function insertCredential(
  trx: Transaction<Database>,
  credential: Insertable<Database['credentials']>,
): Promise<void> {
  await trx.insertInto('credentials').values(credential).execute()
}
