import { sql } from 'kysely'
import type { Db } from '../../database/schema.js'
import { type ParametersOf, prepare } from '../../database/statements.js'
import type { Caller } from '../../identity/authenticator.js'
import { mayUseLogin, roleOfLogin } from '../../identity/seats.js'
import { type PartKind, partIn } from '../../simulation-sessions/team/part-queries.js'

/** The reader of a stream, with the access that was checked when it was opened. */
export interface Reader extends Omit<Caller, 'must_change_password'> {
  kind: PartKind
  /** The network of the connection. */
  network: string
  seesAll: boolean
  /** Whether the reader has joined as a participant. Trainers see whether participants are online. */
  takesPart: boolean
  /** When their access token expires, in milliseconds since 1970; null for an API key. */
  expiresAt: number | null
}

interface Access {
  /** The indexes of the readers who may still read with the same role and kind. */
  allowed: Set<number>
  /** The indexes of those whose place another device has taken. */
  takenOver: Set<number>
}

/** Returns which readers may still read, each in their own organization. */
export async function selectAccess(
  db: Db,
  readers: readonly { reader: Reader; session_id: string | null }[],
): Promise<Access> {
  const column = <Name extends keyof Reader>(name: Name) =>
    readers.map(({ reader }) => reader[name])
  const rows = await allowedQuery(db, {
    organization_ids: column('organization_id'),
    indexes: readers.map((_, i) => i),
    session_ids: readers.map(({ session_id }) => session_id),
    user_ids: column('user_id'),
    roles: column('role'),
    kinds: column('kind'),
    login_session_ids: column('session_id'),
    api_key_ids: column('api_key_id'),
  })
  const indexesOf = (is_taken_over: boolean) =>
    rows.flatMap((row) => (row.is_taken_over === is_taken_over ? row.index : []))
  return { allowed: new Set(indexesOf(false)), takenOver: new Set(indexesOf(true)) }
}

interface ReaderColumns {
  organization_ids: string[]
  indexes: number[]
  /** Null for a reader of all sessions of an organization. */
  session_ids: (string | null)[]
  user_ids: string[]
  roles: string[]
  kinds: string[]
  login_session_ids: (string | null)[]
  api_key_ids: (string | null)[]
}

const part = partIn({
  session: 'session',
  user_id: sql`users._id`,
  role: sql`reader.role`,
  isParticipant: sql`place._id is not null`,
  // The cast is stored at the start. Before, looking it up is not worth the cost: characters stay.
  isInCast: sql`true`,
})

const allowedQuery = prepare(
  'select_allowed_readers',
  (_db, given: ParametersOf<ReaderColumns>) => sql<{ index: number; is_taken_over: boolean }>`
    select reader.index, taken._id is not null as is_taken_over
    from unnest(${given.organization_ids}::uuid[], ${given.indexes}::integer[],
      ${given.session_ids}::uuid[], ${given.user_ids}::uuid[], ${given.roles}::text[], ${given.kinds}::text[],
      ${given.login_session_ids}::uuid[], ${given.api_key_ids}::uuid[])
      as reader (organization_id, index, session_id, user_id, role, kind, login_session_id, api_key_id)
    join users on users.organization_id = reader.organization_id and users._id = reader.user_id
    left join login_sessions on login_sessions.organization_id = users.organization_id
      and login_sessions.user_id = users._id and login_sessions._id = reader.login_session_id
      and login_sessions.ended_at is null and login_sessions.expires_at > now()
    left join login_sessions as taken on taken.organization_id = users.organization_id
      and taken.user_id = users._id and taken._id = reader.login_session_id
      and taken.ended_as = 'seat_taken_over'
    left join api_keys as key on key.organization_id = users.organization_id
      and key.user_id = users._id and key._id = reader.api_key_id
      and coalesce(key.expires_at > now(), true)
    left join simulation_sessions as session on session.organization_id = users.organization_id
      and session._id = reader.session_id
    left join session_assignments as place
      on place.organization_id = users.organization_id
      and place.session_id = reader.session_id and place.user_id = users._id
      and place.joined_at is not null and place.left_at is null
    where taken._id is not null or coalesce(login_sessions._id, key._id) is not null
      and ${roleOfLogin} = reader.role and ${mayUseLogin}
      and (login_sessions.assignment_id is null or login_sessions.assignment_id = place._id)
      and (session._id is not null or reader.session_id is null or reader.role = 'super_admin')
      and ${part} = reader.kind`,
)
