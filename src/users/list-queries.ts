import type { Expression, Selectable, SelectQueryBuilder } from 'kysely'
import { sql } from 'kysely'
import type { Role } from '../contract.js'
import { isLike, jsonColumns, timestamp } from '../database/expressions.js'
import { preparePage } from '../database/lists/lists.js'
import type { After } from '../database/lists/pages.js'
import type { Database, Db } from '../database/schema.js'
import { type ParametersOf, prepare } from '../database/statements.js'
import { directoryColumns, userColumns } from './queries.js'

type UserRow = Selectable<Database['users']>

export interface UserFilters {
  organization_id: string
  role: Role | null
  is_active: boolean | null
  is_bot: boolean | null
  /** Null: without guests. */
  guests: 'include' | null
  /** A LIKE pattern for the name, the username or the e-mail address. */
  pattern: string | null
}

type UserQuery<Row> = SelectQueryBuilder<Database, 'users', Row>

function filterUsers<Row>(
  query: UserQuery<Row>,
  { organization_id, role, is_active, is_bot, guests, pattern }: ParametersOf<UserFilters>,
): UserQuery<Row> {
  return query
    .where('organization_id', '=', organization_id)
    .$if(role !== null, (query) => query.where('role', '=', role))
    .$if(is_active !== null, (query) => query.where('is_active', '=', is_active))
    .$if(is_bot !== null, (query) => query.where('is_bot', '=', is_bot))
    .$if(guests === null, (query) => query.where('guest_of', 'is', null))
    .$if(pattern !== null, (query) =>
      query.where(({ or }) =>
        or(['full_name', 'username', 'email'].map((column) => isLike(column, pattern))),
      ),
    )
}

type Paged = UserFilters & After
type PagedFor = Paged & { viewer_id: string }

/** A page of users with their profiles, sorted by the time they were created. */
export const selectUsers = preparePage(
  'select_users',
  (db, { after_id, after_created_at, ...filters }: ParametersOf<Paged>) =>
    filterUsers(usersAfter(db, after_id).select(jsonColumns('users', userColumns)), filters),
  // A profile may be half a MiB long.
  { hasLongRows: true },
)

/** The same page for a viewer who may see no profile except their own. */
export const selectDirectory = preparePage(
  'select_directory',
  (db, { after_id, after_created_at, viewer_id, ...filters }: ParametersOf<PagedFor>) =>
    filterUsers(usersAfter(db, after_id).select(directoryFor(viewer_id)), filters),
  { hasLongRows: true },
)

function usersAfter(db: Db, after_id: ParametersOf<After>['after_id']) {
  return db
    .selectFrom('users')
    .$if(after_id !== null, (query) => query.where('_id', '>', after_id))
    .orderBy('_id')
}

function directoryFor(viewer_id: Expression<string>) {
  const lastSeen = timestamp('users', 'last_seen')
  function ownOnly<Column extends keyof UserRow>(column: Column, others: string) {
    const empty = sql.raw(others)
    return sql<
      UserRow[Column]
    >`case when _id = ${viewer_id} then ${sql.ref(column)} else ${empty} end`.as(column)
  }
  return [
    ...jsonColumns('users', directoryColumns),
    ownOnly('education', `'[]'::jsonb`),
    ownOnly('certifications', `'[]'::jsonb`),
    ownOnly('hobbies', `'[]'::jsonb`),
    ownOnly('career_goals', `'{}'::jsonb`),
    ownOnly('metadata', `'{}'::jsonb`),
    sql<string | null>`case when _id = ${viewer_id} then ${lastSeen.expression} end`.as(
      'last_seen',
    ),
  ] as const
}

export const countUsers = prepare('count_users', (db, filters: ParametersOf<UserFilters>) =>
  filterUsers(
    db.selectFrom('users').select((eb) => eb.fn.countAll<number>().as('count')),
    filters,
  ),
)
