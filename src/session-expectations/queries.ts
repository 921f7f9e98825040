import { sql } from 'kysely'
import type { Schema } from '../contract.js'
import { longestPage } from '../database/lists/lists.js'
import { type ParametersOf, prepare } from '../database/statements.js'
import {
  deadline,
  isAnswer,
  isBeforeDeadline,
  isMade,
} from '../simulation-sessions/expectation-queries.js'
import type { OfSession } from '../simulation-sessions/queries.js'

type Expectation = Omit<
  Schema<'SessionExpectation'>,
  keyof Schema<'Expectation'> | 'due_at' | 'left_ms'
>

/** An expectation with the messages that ask and answer it. */
export interface StoredExpectation extends Expectation {
  expectation: Schema<'Expectation'>
  /** The deadline on the session's clock. */
  due_offset_ms: number
}

interface Filters extends OfSession {
  after: number
  limit: number
  status: Schema<'ExpectationStatus'> | null
}

/** No row is longer than this. */
const maxRowLength = 40_000

/** The next expectations of a session: `limit` of them, or as many as fill a page and one more. */
export const selectExpectations = prepare(
  'select_expectations',
  (
    _db,
    { organization_id, session_id, after, limit, status }: ParametersOf<Filters>,
  ) => sql<StoredExpectation>`
    select * from (
      select found.*, sum(length(expectation::text)) over (order by seq) as characters
      from (
        select asked._id as message_id, asked.seq, asked.conversation_id,
          coalesce(asked.thread_id, asked._id) as thread_id,
          asked.sender_id as asked_by, asked.posted_at as asked_at,
          asked.expectation, ${deadline} as due_offset_ms,
          case when answer.seq is not null or made.beat is not null then 'answered'
            when ${isBeforeDeadline('session')} then 'open' else 'lapsed' end as status,
          coalesce(answer.sender_id, made.made_by::text) as answered_by,
          coalesce(answer._id, decided._id) as answered_message_id,
          coalesce(answer.posted_at, made.ended_at) as answered_at,
          coalesce(answer.offset_ms, made.ended_offset_ms) > ${deadline} as answered_late
        from simulation_sessions as session
        join session_messages as asked
          on asked.organization_id = session.organization_id and asked.session_id = session._id
        left join lateral (
          select answer.seq, answer.sender_id, answer._id, answer.posted_at, answer.offset_ms
          from session_messages as answer where ${isAnswer} order by answer.seq limit 1
        ) as answer on true
        left join session_decisions as made on ${isMade}
        left join session_messages as decided
          on decided.organization_id = made.organization_id
          and decided.session_id = made.session_id and decided.seq = made.ended_seq
        where session.organization_id = ${organization_id} and session._id = ${session_id}
          and asked.expectation is not null and asked.seq > ${after}
      ) as found
      ${status === null ? sql`` : sql`where status = ${status}`}
      order by seq limit ${limit}
    ) as measured
    where characters <= ${sql.lit(longestPage + 2 * maxRowLength)}
    order by seq`,
)
