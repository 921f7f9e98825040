import { type RawBuilder, sql } from 'kysely'
import type { Schema } from '../../contract.js'
import { timeText } from '../../database/expressions.js'

/** The time of the statement. */
const statementTime = sql`statement_timestamp()::timestamptz(3)`

/** The present time for a session: not before its last change. */
const presentFor = (session: string, now: RawBuilder<unknown>) =>
  sql`greatest(${now}, ${sql.ref(`${session}.latest_at`)})`

/** The elapsed time on the clock of a session, as `elapsedMs` computes it. */
export function elapsedIn(session: string, now: RawBuilder<unknown>) {
  const column = (name: string) => sql.ref(`${session}.${name}`)
  const until = sql`coalesce(${column('paused_at')}, ${column('ended_at')}, ${presentFor(session, now)})`
  const anchor = column('anchor_at')
  return sql<number | null>`(1000 * extract(
    epoch from greatest(${until}, ${anchor}) - ${anchor}
  ))::bigint * ${column('speed')}`
}

/** When the session ends, computed as in `endsAt`. */
const end = sql`case when status = 'running'
  then anchor_at + ceil(end_offset_ms::double precision / speed) * interval '1 millisecond' end`

/** When the session ends, only where `endIsOpen` is true. */
const openEnd = sql`case when timing = 'drill' or ends_after_minutes is not null then ${end} end`

/** The clock of a session in a list. */
export const clockColumn = sql<Schema<'ListedSessionClock'>>`json_build_object(
  'elapsed_ms', ${elapsedIn('simulation_sessions', statementTime)},
  'as_of', ${timeText(presentFor('simulation_sessions', statementTime))}
)`.as('clock')

/** When the clock ends a session, for trainers. */
export const endColumn = timeText(end).$castTo<string | null>().as('ends_at')

/** When the clock ends a session, for everyone else. */
export const openEndColumn = timeText(openEnd).$castTo<string | null>().as('ends_at')
