import { sql } from 'kysely'
import type { Db, Trx } from '../../database/schema.js'
import { type ParametersOf, prepare } from '../../database/statements.js'
import type { AccessTransaction } from '../access-changes.js'
import type { OpaqueToken } from '../opaque-token.js'
import { mayUseLogin, roleOfLogin } from '../seats.js'

export interface LoginSession {
  organization_id: string
  _id: string
  user_id: string
  expires_at: string
  /** The session and the place to which it is bound; null after a login. */
  simulation_session_id: string | null
  assignment_id: string | null
}

export async function insertSession(trx: Trx, session: LoginSession): Promise<void> {
  const { organization_id, user_id, assignment_id } = session
  await deleteOld(trx, { organization_id, user_id, assignment_id })
  await insertRow(trx, session)
}

/** How many login sessions a user has at most, without those of seats. A seat has at most as many. */
const maxSessions = 100

/** Deletes expired login sessions, and the oldest one if a new one would exceed the limit. */
const deleteOld = prepare(
  'delete_old_sessions',
  (
    db,
    owner: ParametersOf<Pick<LoginSession, 'organization_id' | 'user_id' | 'assignment_id'>>,
  ) => {
    const tooMany = db
      .selectFrom('login_sessions as other')
      .select('other._id')
      .where('other.organization_id', '=', owner.organization_id)
      .where('other.user_id', '=', owner.user_id)
      .where('other.assignment_id', owner.assignment_id === null ? 'is' : '=', owner.assignment_id)
      // Ids sort by the time they were created.
      .orderBy('other._id', 'desc')
      .offset(sql.lit(maxSessions - 1))
    return db
      .deleteFrom('login_sessions')
      .where('organization_id', '=', owner.organization_id)
      .where('user_id', '=', owner.user_id)
      .where((eb) => eb.or([eb('expires_at', '<', sql<string>`now()`), eb('_id', 'in', tooMany)]))
  },
)

export const sessionInsert = (db: Db, session: ParametersOf<LoginSession>) =>
  db.insertInto('login_sessions').values(session)

const insertRow = prepare('insert_session', sessionInsert)

interface RefreshToken {
  organization_id: string
  session_id: string
  token_hash: string
}

export const refreshTokenInsert = (
  db: Db,
  { organization_id, session_id, token_hash }: ParametersOf<RefreshToken>,
) => db.insertInto('refresh_tokens').values({ organization_id, session_id, token_hash })

export const insertRefreshToken = prepare('insert_refresh_token', refreshTokenInsert)

/** A refresh token of an active session, with its user. Locked, so that it is not used twice. */
export function selectRefreshTokenForUpdate(trx: Trx, { organization_id, hash }: OpaqueToken) {
  return trx
    .selectFrom('refresh_tokens as token')
    .innerJoin('login_sessions', (join) =>
      join
        .onRef('login_sessions.organization_id', '=', 'token.organization_id')
        .onRef('login_sessions._id', '=', 'token.session_id'),
    )
    .innerJoin('users', (join) =>
      join
        .onRef('users.organization_id', '=', 'login_sessions.organization_id')
        .onRef('users._id', '=', 'login_sessions.user_id'),
    )
    .select([
      'token.session_id',
      'login_sessions.expires_at',
      'login_sessions.assignment_id',
      'users._id',
      'users.organization_id',
      'username',
      'lost_successors',
    ])
    .select([
      roleOfLogin.as('role'),
      sql<boolean>`token.used_at is not null`.as('is_used'),
      sql<boolean>`token.used_at < clock_timestamp() - interval '10 seconds'`.as('is_late'),
    ])
    .where('token.organization_id', '=', organization_id)
    .where('token_hash', '=', hash)
    .where('ended_at', 'is', null)
    .where('login_sessions.expires_at', '>', sql<string>`now()`)
    .where(mayUseLogin)
    .forUpdate('token')
    .executeTakeFirst()
}

/** Why the login session of a refresh token has ended. */
export async function selectEndOfLogin(db: Db, { organization_id, hash }: OpaqueToken) {
  const row = await db
    .selectFrom('refresh_tokens as token')
    .innerJoin('login_sessions', (join) =>
      join
        .onRef('login_sessions.organization_id', '=', 'token.organization_id')
        .onRef('login_sessions._id', '=', 'token.session_id'),
    )
    .select('ended_as')
    .where('token.organization_id', '=', organization_id)
    .where('token_hash', '=', hash)
    .executeTakeFirst()
  return row?.ended_as ?? null
}

export async function markRefreshTokenUsed(
  trx: Trx,
  { organization_id, hash }: OpaqueToken,
  lost_successors: number,
): Promise<void> {
  await trx
    .updateTable('refresh_tokens')
    .set({ used_at: sql<string>`now()`, lost_successors })
    .where('organization_id', '=', organization_id)
    .where('token_hash', '=', hash)
    .execute()
}

/** Makes every use of a token a reuse. Returns false if it has been used. */
export async function endUnusedToken(
  trx: Trx,
  { organization_id, hash }: OpaqueToken,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('refresh_tokens')
    .set({ used_at: sql<string>`now() - interval '11 seconds'` })
    .where('organization_id', '=', organization_id)
    .where('token_hash', '=', hash)
    .where('used_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Ends all sessions of a user, or only one. */
export async function endSessions(
  trx: AccessTransaction,
  { organization_id, user_id }: { organization_id: string; user_id: string },
  { only }: { only?: string } = {},
): Promise<void> {
  trx.changed.add(user_id)
  await trx
    .updateTable('login_sessions')
    .set({ ended_at: sql<string>`now()` })
    .where('organization_id', '=', organization_id)
    .where('user_id', '=', user_id)
    .where('ended_at', 'is', null)
    .$if(only !== undefined, (query) => query.where('_id', '=', only ?? ''))
    .execute()
}
