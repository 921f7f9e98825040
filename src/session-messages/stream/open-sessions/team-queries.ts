import { sql } from 'kysely'
import { type ParametersOf, prepare } from '../../../database/statements.js'
import type { StoredPlace } from '../../../simulation-sessions/team/participant-queries.js'

/** How many teams one statement reads at most. A team has at most about 100 places. */
export const teamBatchSize = 50

/** A place in a session. `team_seq` is the change of the team that changed it last. */
export type Place = Pick<
  StoredPlace,
  | '_id'
  | 'session_id'
  | 'user_id'
  | 'role_key'
  | 'joined_at'
  | 'left_at'
  | 'removed_at'
  | 'team_seq'
>

/** One place of a session, or a row without a place. `seq` is the last change of the team. */
export type PlaceRow = { of: string; seq: number; now: string } & (Place | { _id: null })

interface Sessions {
  organization_ids: string[]
  ids: string[]
}

/** Returns all places of some sessions, also those that were taken away. */
export const selectTeams = prepare(
  'select_session_places',
  (_db, { organization_ids, ids }: ParametersOf<Sessions>) => sql<PlaceRow>`
    select session._id as of, session.team_seq as seq,
      clock_timestamp()::timestamptz(3) as now, place._id, place.session_id, place.user_id,
      place.role_key, place.joined_at, place.left_at, place.removed_at, place.team_seq
    from unnest(${organization_ids}::uuid[], ${ids}::uuid[]) as known (organization_id, _id)
    join simulation_sessions as session
      on session.organization_id = known.organization_id and session._id = known._id
    left join session_assignments as place
      on place.organization_id = session.organization_id and place.session_id = session._id
    order by of, place._id`,
)
