import { sql } from 'kysely'
import type { Db } from '../database/schema.js'
import type { TokenSubject } from './login-sessions/access-tokens.js'
import type { OpaqueToken } from './opaque-token.js'
import { mayUseLogin, roleOfLogin } from './seats.js'

/** `last_seen` and `last_used_at` are not written more often than this. */
const freshness = sql`interval '5 minutes'`

/** The active user of a session that has not ended. */
export function selectSessionCaller(db: Db, { sub, org, sid }: TokenSubject) {
  return db
    .selectFrom('users')
    .innerJoin('login_sessions', (join) =>
      join
        .onRef('login_sessions.organization_id', '=', 'users.organization_id')
        .onRef('login_sessions.user_id', '=', 'users._id'),
    )
    .leftJoin('credentials', (join) =>
      join
        .onRef('credentials.organization_id', '=', 'users.organization_id')
        .onRef('credentials.user_id', '=', 'users._id'),
    )
    .select([
      'users._id as user_id',
      'users.organization_id',
      'login_sessions._id as session_id',
      'simulation_session_id as seat_session_id',
      'assignment_id',
    ])
    .select([
      roleOfLogin.as('role'),
      sql<boolean>`coalesce(credentials.is_temporary and assignment_id is null, false)`.as(
        'must_change_password',
      ),
      sql<boolean>`coalesce(last_seen < now() - ${freshness}, true)`.as('is_overdue'),
    ])
    .where('users.organization_id', '=', org)
    .where('users._id', '=', sub)
    .where('login_sessions._id', '=', sid)
    .where('ended_at', 'is', null)
    .where('login_sessions.expires_at', '>', sql<string>`now()`)
    .where(mayUseLogin)
    .executeTakeFirst()
}

/** The active bot of a valid API key. */
export function selectApiKeyCaller(db: Db, { organization_id, hash }: OpaqueToken) {
  return db
    .selectFrom('api_keys')
    .innerJoin('users', (join) =>
      join
        .onRef('users.organization_id', '=', 'api_keys.organization_id')
        .onRef('users._id', '=', 'api_keys.user_id'),
    )
    .select(['users._id as user_id', 'users.organization_id', 'role', 'api_keys._id as api_key_id'])
    .select(sql<boolean>`coalesce(last_used_at < now() - ${freshness}, true)`.as('is_overdue'))
    .where('api_keys.organization_id', '=', organization_id)
    .where('key_hash', '=', hash)
    .where(sql<boolean>`coalesce(expires_at > now(), true)`)
    .where('is_active', '=', true)
    .executeTakeFirst()
}

export async function updateLastSeen(
  db: Db,
  { organization_id, user_id }: { organization_id: string; user_id: string },
): Promise<void> {
  await db
    .updateTable('users')
    .set({ last_seen: sql<string>`now()` })
    .where('organization_id', '=', organization_id)
    .where('_id', '=', user_id)
    .execute()
}

export async function updateLastUsed(
  db: Db,
  { organization_id, api_key_id }: { organization_id: string; api_key_id: string },
): Promise<void> {
  await db
    .updateTable('api_keys')
    .set({ last_used_at: sql<string>`now()` })
    .where('organization_id', '=', organization_id)
    .where('_id', '=', api_key_id)
    .execute()
}
