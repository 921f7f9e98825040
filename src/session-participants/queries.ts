import { sql } from 'kysely'
import type { Trx } from '../database/schema.js'
import { type ParametersOf, prepare } from '../database/statements.js'
import { leadingRoles } from '../identity/roles.js'
import type { StoredSession } from '../simulation-sessions/queries.js'

export interface StoredSpeaker {
  session_id: string
  sender_id: string
  sender_kind: 'character' | 'participant'
  display_name: string
  avatar_url: string | null
}

interface Page {
  organization_id: string
  /** Only the speakers after this one; null for the beginning of the list. */
  after_session_id: string | null
  after_sender_id: string | null
  limit: number
}

/**
 * The characters and participants of all running and paused sessions of an organization, also those who
 * were taken out: their messages stay. Sorted by session and id.
 */
export const selectSpeakers = prepare(
  'select_speakers',
  (
    _db,
    { organization_id, after_session_id, after_sender_id, limit }: ParametersOf<Page>,
  ) => sql<StoredSpeaker>`
    select speaker.session_id, speaker.sender_id, speaker.sender_kind,
      coalesce(users.full_name, users.username) as display_name, users.avatar_url
    from (
      select organization_id, _id as session_id, unnest(cast_ids)::uuid as sender_id,
        'character' as sender_kind
      from simulation_sessions
      where organization_id = ${organization_id} and status in ('running', 'paused')
      union all
      select place.organization_id, place.session_id, place.user_id, 'participant'
      from simulation_sessions as session
      join session_assignments as place
        on place.organization_id = session.organization_id and place.session_id = session._id
      where session.organization_id = ${organization_id} and session.status in ('running', 'paused')
    ) as speaker
    join users on users.organization_id = speaker.organization_id and users._id = speaker.sender_id
    where ${after_sender_id}::uuid is null
      or (speaker.session_id, speaker.sender_id) > (${after_session_id}::uuid, ${after_sender_id}::uuid)
    order by speaker.session_id, speaker.sender_id limit ${limit}`,
)

/** The names of those who may lead a session, and of its raters. */
export async function selectNamesOfLeaders(
  trx: Trx,
  { organization_id, rater_ids }: Pick<StoredSession, 'organization_id' | 'rater_ids'>,
): Promise<string[]> {
  const leaders = await trx
    .selectFrom('users')
    .select('full_name')
    .where('organization_id', '=', organization_id)
    .where('is_active', '=', true)
    .where('full_name', 'is not', null)
    .where((eb) =>
      eb.or([eb('role', 'in', leadingRoles), sql<boolean>`_id = any(${rater_ids}::uuid[])`]),
    )
    .execute()
  return leaders.flatMap(({ full_name }) => full_name ?? [])
}
