import type { Insertable } from 'kysely'
import { sql } from 'kysely'
import type { Database, Db, Trx } from '../database/schema.js'
import { type ParametersOf, prepare } from '../database/statements.js'
import type { AccessTransaction } from '../identity/access-changes.js'
import { normalizeEmail, storedForms } from '../identity/email.js'
import { freeUsername } from './username.js'

export type NewUser = Insertable<Database['users']>

/** The fields that every member may see of another. */
export const directoryColumns = [
  '_id',
  'username',
  'email',
  'organization_id',
  'full_name',
  'role',
  'is_bot',
  'is_active',
  'avatar_url',
  'bio',
  'created_at',
  'updated_at',
] as const

/** The contract's User. */
export const userColumns = [
  ...directoryColumns,
  'education',
  'certifications',
  'hobbies',
  'career_goals',
  'metadata',
  'last_seen',
] as const

/** A user. With a lock, no other transaction can change the user until this one ends. */
export function selectUser(
  db: Db,
  { organization_id, user_id }: { organization_id: string; user_id: string },
  { lock }: { lock?: 'update' } = {},
) {
  return db
    .selectFrom('users')
    .select(userColumns)
    .where('organization_id', '=', organization_id)
    .where('_id', '=', user_id)
    .$if(lock === 'update', (query) => query.forUpdate())
    .executeTakeFirst()
}

/**
 * Inserts users. Each gets the first free name that starts like its `username`. If two requests want
 * the same name, the unique constraint decides, and the other one tries the next name.
 */
export async function insertUsers(trx: Trx, users: NewUser[]) {
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
  // A number of up to four digits may replace the end of a long name.
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

/** Reserves an e-mail address for a person. It is unique among the people of all organizations. */
export async function insertEmail(
  trx: Trx,
  { email, organization_id, _id: user_id }: Pick<NewUser, 'email' | 'organization_id' | '_id'>,
): Promise<void> {
  await insertRegistryEntry(trx, { email: normalizeEmail(email), organization_id, user_id })
}

/** The person with an e-mail address. A separate query: a cluster stores addresses and users apart. */
export async function selectOwnerOfEmail(db: Db, email: string) {
  const entries = []
  // All of them, so that the time does not reveal which one is known.
  for (const form of storedForms(email)) entries.push(await selectEntry(db, form))
  return entries.find((entry) => entry !== undefined)
}

/** Who has an address, and who was invited with it before a registrant claimed it. */
const selectEntry = (db: Db, email: string) =>
  db
    .selectFrom('email_registry')
    .select(['organization_id', 'user_id', 'invited_organization_id', 'invited_user_id'])
    .where('email', '=', email)
    .executeTakeFirst()

const insertRegistryEntry = prepare(
  'insert_email',
  (db, entry: ParametersOf<{ email: string; organization_id: string; user_id: string }>) =>
    db.insertInto('email_registry').values(entry),
)

/** Deletes users, and releases the e-mail addresses of people. */
export async function deleteUsers(
  trx: AccessTransaction,
  organization_id: string,
  user_ids: string[],
): Promise<void> {
  if (user_ids.length === 0) return
  for (const user_id of user_ids) trx.changed.add(user_id)
  const deleted = await trx
    .deleteFrom('users')
    .where('organization_id', '=', organization_id)
    .where('_id', 'in', user_ids)
    .returning('email')
    .execute()
  if (deleted.length === 0) return
  const emails = deleted.flatMap(({ email }) => storedForms(email))
  await trx
    .deleteFrom('email_registry')
    .where('organization_id', '=', organization_id)
    .where('email', 'in', emails)
    .where('user_id', 'in', user_ids)
    .execute()
}
