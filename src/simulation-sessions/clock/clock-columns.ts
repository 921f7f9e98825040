import { type RawBuilder, sql } from 'kysely'
import type { Schema } from '../../contract.js'
import { timeText } from '../../database/expressions.js'

/** One time for all rows of a list. It can be slightly before the rows were read. */
const asOf = sql`statement_timestamp()::timestamptz(3)`

/**
 * The elapsed time on the clock of a session, as `elapsedMs` computes it. `asOf` is the time now, which
 * counts while the clock runs.
 */
export function elapsedIn(session: string, asOf: RawBuilder<unknown>) {
  const column = (name: string) => sql.ref(`${session}.${name}`)
  const anchor = column('anchor_at')
  const until = sql`coalesce(${column('paused_at')}, ${column('ended_at')}, ${asOf})`
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
export const clockColumn = sql<Schema<'ListedSessionClock'>>`
  json_build_object('elapsed_ms', ${elapsedIn('simulation_sessions', asOf)}, 'as_of', ${timeText(asOf)})`.as(
  'clock',
)

/** When the clock ends a session, for trainers. */
export const endColumn = timeText(end).$castTo<string | null>().as('ends_at')

/** When the clock ends a session, for everyone else. */
export const openEndColumn = timeText(openEnd).$castTo<string | null>().as('ends_at')
