import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database/schema.js'
import { type ParametersOf, prepare } from '../database/statements.js'
import { sessionNotFound } from '../errors.js'
import { elapsedIn } from './clock/clock-columns.js'
import type { OfSession, SessionKey } from './queries.js'

/** Whether `asked` asks for a decision. Only the decision answers it, not a message. */
const asksForDecision = sql<boolean>`(asked.expectation ->> 'decision') is not null`

/**
 * Whether the message `answer` answers the message `asked`: a participant wrote it later in the same
 * thread. The first answer counts, even after the deadline.
 */
export const isAnswer = sql<boolean>`not ${asksForDecision}
  and answer.organization_id = asked.organization_id
  and answer.session_id = asked.session_id
  and answer.thread_id = coalesce(asked.thread_id, asked._id)
  and answer.seq > asked.seq and answer.sender_kind = 'participant'`

/** Whether `made` is the decision that `asked` asks for, made by people. */
export const isMade = sql<boolean>`made.organization_id = asked.organization_id
  and made.session_id = asked.session_id and made.message_id = asked._id
  and made.status = 'decided'`

/** The messages of a thread with an expectation that no participant has answered. */
export const selectUnanswered = prepare(
  'select_unanswered_messages',
  (
    _db,
    { organization_id, session_id, thread_id }: ParametersOf<OfSession & { thread_id: string }>,
  ) => sql<{ _id: string }>`
    select asked._id from session_messages as asked
    where asked.organization_id = ${organization_id} and asked.session_id = ${session_id}
      and asked.expectation is not null and not ${asksForDecision}
      and coalesce(asked.thread_id, asked._id) = ${thread_id}
      and not exists (select from session_messages as answer where ${isAnswer})
    order by asked.seq`,
)

/** The time on the session's clock until which `asked` can be answered. */
export const deadline = sql<number>`(asked.offset_ms
  + (asked.expectation ->> 'deadline_minutes')::float8 * 60000)`

const isOngoing = (session: string) => sql<boolean>`${sql.ref(`${session}.ended_at`)} is null`

const isInTime = (session: string, until: RawBuilder<number>) =>
  sql<boolean>`${until} >= ${elapsedIn(session, sql`now()`)}`

/** Whether a question with this deadline can still be answered. False after the end of the session. */
export const isBeforeDeadline = (session: string, until: RawBuilder<number> = deadline) =>
  sql<boolean>`(${isOngoing(session)} and ${isInTime(session, until)})`

/** Keeps a list of sessions fast: only the last expectations of each session are counted. */
const maxCounted = 1_000

/** Selects the unanswered among the last expectations of a session. Their alias is `asked`. */
export function unansweredIn(session: string, columns: RawBuilder<unknown>, last = maxCounted) {
  const column = (name: string) => sql.ref(`${session}.${name}`)
  return sql`
    select ${columns}
    from (
      select organization_id, session_id, thread_id, _id, seq, offset_ms, expectation
      from session_messages as message
      where message.organization_id = ${column('organization_id')}
        and message.session_id = ${column('_id')} and message.expectation is not null
      order by seq desc limit ${sql.lit(last)}
    ) as asked
    where not exists (select from session_messages as answer where ${isAnswer})
      and not exists (select from session_decisions as made where ${isMade})`
}

/**
 * How many of the last expectations of a session are open. Citus refuses a subquery with a condition
 * on the outer row alone, so `case` looks at the end of the session.
 */
export const openIn = (session: string) => sql<number>`case when ${isOngoing(session)} then (
    ${unansweredIn(session, sql`count(*)::integer`)} and ${isInTime(session, deadline)}) else 0 end`

/** How many of the last expectations of one session are open. */
export async function countOpen(db: Db, { organization_id, _id }: SessionKey): Promise<number> {
  const { open } = await db
    .selectFrom('simulation_sessions')
    .select(openIn('simulation_sessions').as('open'))
    .where('organization_id', '=', organization_id)
    .where('_id', '=', _id)
    .executeTakeFirstOrThrow(sessionNotFound)
  return open
}
