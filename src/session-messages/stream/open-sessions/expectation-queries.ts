import { sql } from 'kysely'
import { type ParametersOf, prepare } from '../../../database/statements.js'
import {
  deadline,
  isBeforeDeadline,
  unansweredIn,
} from '../../../simulation-sessions/expectation-queries.js'
import type { StoredSession } from '../../../simulation-sessions/queries.js'

/** How many sessions one statement reads at most. */
export const expectationsBatchSize = 50

/** How many expectations of a session are followed: the last, answered or not. */
const lastExpectations = 100

/** An open or lapsed expectation. */
export interface UnansweredExpectation {
  message_id: string
  seq: number
  /** The deadline on the session's clock. */
  due_offset_ms: number
  is_open: boolean
}

type Clock = Pick<StoredSession, 'status' | 'anchor_at' | 'speed'>

/** One unanswered expectation of a session, or a row without one. */
export type ExpectationRow = Clock & { of: string } & (UnansweredExpectation | { message_id: null })

interface Sessions {
  organization_ids: string[]
  ids: string[]
}

const isOpen = isBeforeDeadline('session', sql<number>`unanswered.due_offset_ms`)
const columns = sql`asked._id as message_id, asked.seq, ${deadline} as due_offset_ms`

/** Returns the unanswered among the last expectations of some sessions. */
export const selectUnansweredOf = prepare(
  'select_unanswered_expectations',
  (_db, { organization_ids, ids }: ParametersOf<Sessions>) => sql<ExpectationRow>`
    select session._id as of, session.status, session.anchor_at, session.speed,
      unanswered.message_id, unanswered.seq, unanswered.due_offset_ms, ${isOpen} as is_open
    from unnest(${organization_ids}::uuid[], ${ids}::uuid[]) as known (organization_id, _id)
    join simulation_sessions as session
      on session.organization_id = known.organization_id and session._id = known._id
    left join lateral (${unansweredIn('session', columns, lastExpectations)}) as unanswered on true
    order by of, unanswered.seq`,
)
