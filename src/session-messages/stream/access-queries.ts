import { sql } from 'kysely'
import type { Db } from '../../database/schema.js'
import { type ParametersOf, prepare } from '../../database/statements.js'
import type { Caller } from '../../identity/authenticator.js'
import type { SessionPart } from '../../simulation-sessions/find-session.js'

/** The reader of a stream, with the access that was checked when it was opened. */
export interface Reader extends Omit<Caller, 'must_change_password'> {
  kind: SessionPart['kind']
  seesAll: boolean
  /** When their access token expires, in milliseconds since 1970; null for an API key. */
  expiresAt: number | null
}

/** Returns the indexes of the readers who may still read with the same role and kind. */
export async function selectAllowed(
  db: Db,
  organization_id: string,
  readers: readonly { reader: Reader; session_id: string | null }[],
): Promise<Set<number>> {
  const column = <Name extends keyof Reader>(name: Name) =>
    readers.map(({ reader }) => reader[name])
  const rows = await allowedQuery(db, {
    organization_id,
    indexes: readers.map((_, i) => i),
    session_ids: readers.map(({ session_id }) => session_id),
    user_ids: column('user_id'),
    roles: column('role'),
    kinds: column('kind'),
    login_session_ids: column('session_id'),
    api_key_ids: column('api_key_id'),
  })
  return new Set(rows.map(({ index }) => index))
}

interface ReaderColumns {
  organization_id: string
  indexes: number[]
  /** Null for a reader of all sessions of an organization. */
  session_ids: (string | null)[]
  user_ids: string[]
  roles: string[]
  kinds: string[]
  login_session_ids: (string | null)[]
  api_key_ids: (string | null)[]
}

// The cast is stored at the start. Before, looking it up is not worth the cost: characters stay.
const allowedQuery = prepare(
  'select_allowed_readers',
  (_db, given: ParametersOf<ReaderColumns>) => sql<{ index: number }>`
    select reader.index
    from unnest(${given.indexes}::integer[], ${given.session_ids}::uuid[],
      ${given.user_ids}::uuid[], ${given.roles}::text[], ${given.kinds}::text[],
      ${given.login_session_ids}::uuid[], ${given.api_key_ids}::uuid[])
      as reader (index, session_id, user_id, role, kind, login_session_id, api_key_id)
    join users on users.organization_id = ${given.organization_id} and users._id = reader.user_id
      and users.role = reader.role and users.is_active
    left join login_sessions as login on login.organization_id = users.organization_id
      and login.user_id = users._id and login._id = reader.login_session_id
      and login.ended_at is null and login.expires_at > now()
    left join api_keys as key on key.organization_id = users.organization_id
      and key.user_id = users._id and key._id = reader.api_key_id
      and coalesce(key.expires_at > now(), true)
    left join simulation_sessions as session on session.organization_id = users.organization_id
      and session._id = reader.session_id
    left join session_assignments as assignment
      on assignment.organization_id = users.organization_id
      and assignment.session_id = reader.session_id and assignment.user_id = users._id
      and assignment.joined_at is not null and assignment.left_at is null
    where coalesce(login._id, key._id) is not null
      and (session._id is not null or reader.session_id is null or reader.role = 'super_admin')
      and case reader.kind
      when 'trainer' then true
      when 'rater' then users._id::text = any(session.rater_ids)
      when 'character' then session.started_at is null or users._id::text = any(session.cast_ids)
      else assignment._id is not null end`,
)
