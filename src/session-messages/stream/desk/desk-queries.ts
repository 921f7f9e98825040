import { sql } from 'kysely'
import { type ParametersOf, prepare } from '../../../database/statements.js'
import { presentIn, type SessionKey } from '../../../simulation-sessions/queries.js'
import type { SessionState } from '../open-sessions/queries.js'

/** How many running and paused sessions of one organization are followed at most. */
export const maxFollowed = 2_000

export const organizationBatchSize = 20

interface FollowedSessions {
  organization_ids: string[]
  /** The sessions that are already followed. */
  session_ids: string[]
}

/** Returns the running and paused sessions of some organizations that are not followed yet. */
export const selectUnfollowed = prepare(
  'select_unfollowed_sessions',
  (_db, { organization_ids, session_ids }: ParametersOf<FollowedSessions>) => sql<
    SessionKey & SessionState
  >`
    select organization_id, _id, name, status, speed, anchor_at, paused_at, ended_at, last_seq,
      lapsed_beats, team_seq, trainer_seq, ${presentIn('running')} as now
    from (
      select session.*, row_number() over (
          partition by session.organization_id order by session.created_at desc, session._id desc
        ) as rank
      from simulation_sessions as session
      where session.organization_id = any(${organization_ids}::uuid[])
        and session.status in ('running', 'paused')
    ) as running
    left join unnest(${session_ids}::uuid[]) as followed (session_id) on followed.session_id = _id
    where rank <= ${sql.lit(maxFollowed)} and followed.session_id is null
    order by organization_id, created_at, _id`,
)
