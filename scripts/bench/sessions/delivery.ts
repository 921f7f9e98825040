import { type Kysely, sql } from 'kysely'
import type { Database } from '../../../src/database/schema.js'

/** How late the messages were posted that were planned in a while. */
export interface Lags {
  planned: number
  missing: number
  p50: number | null
  p99: number | null
  most: number | null
}

const dueAt = sql`session.anchor_at + line.offset_ms::float8 / session.speed * interval '1 ms'`

const plannedLines = sql`
  from simulation_sessions as session
  join session_plan as line
    on line.organization_id = session.organization_id and line.session_id = session._id
  left join session_messages as message
    on message.organization_id = line.organization_id and message.session_id = line.session_id
    and message.plan_position = line.position`

export async function selectLags(
  db: Kysely<Database>,
  { from, to }: { from: Date; to: Date },
): Promise<Lags> {
  const { rows } = await sql<Lags>`
    select count(*) as planned, count(*) filter (where lag is null) as missing,
      percentile_disc(0.5) within group (order by lag) as p50,
      percentile_disc(0.99) within group (order by lag) as p99, max(lag) as most
    from (
      select extract(epoch from message.posted_at - (${dueAt}))::float8 * 1000 as lag
      ${plannedLines}
      where ${dueAt} >= ${from.toISOString()}::timestamptz
        and ${dueAt} < ${to.toISOString()}::timestamptz) as posted`.execute(db)
  const [lags] = rows
  if (!lags) throw new Error('An aggregate has a row')
  return lags
}

/** What may never be, of all that was due by now, in numbers of messages or sessions. */
export interface Faults {
  due: number
  missing: number
  twice: number
  /** Sessions whose `seq` is not 1, 2, 3 … in the order of the plan. */
  broken: number
  /** Messages without an event of theirs, or events without a message. */
  untold: number
  /** Sessions whose clock was set back, so that it does not tell what was due. */
  shifted: number
}

export async function selectFaults(db: Kysely<Database>): Promise<Faults> {
  const { rows } = await sql<Faults>`
    select
      (select count(*) ${plannedLines} where ${dueAt} <= now()) as due,
      (select count(*) ${plannedLines} where ${dueAt} <= now() and message.seq is null) as missing,
      (select count(*) - count(distinct (session_id, plan_position)) from session_messages
        where plan_position is not null) as twice,
      (select count(distinct session_id) from (
        select session_id, seq, row_number() over said as place, plan_position,
          lag(plan_position) over said as before
        from session_messages window said as (partition by session_id order by seq)) as message
        where seq <> place or plan_position <= before) as broken,
      (select count(*) from session_messages full join (
          select metadata->>'message_id' as message_id from audit_events
          where event_type = 'message_delivered') as event on message_id = _id::text
        where (_id is null or message_id is null)
          and coalesce(plan_position, 0) is not null) as untold,
      (select count(*) from simulation_sessions where deviations <> '[]') as shifted`.execute(db)
  const [faults] = rows
  if (!faults) throw new Error('Counts have a row')
  return faults
}

/** How long it took after an instant until what was due then was posted. */
export interface TakeOver {
  waiting: number
  firstMs: number | null
  allMs: number | null
}

export async function selectTakeOver(db: Kysely<Database>, killedAt: string): Promise<TakeOver> {
  const late = sql`extract(epoch from message.posted_at - ${killedAt}::timestamptz)::float8 * 1000`
  const { rows } = await sql<TakeOver>`
    select count(*) as waiting, min(${late}) as "firstMs", max(${late}) as "allMs"
    ${plannedLines}
    where ${dueAt} <= ${killedAt}::timestamptz and message.posted_at > ${killedAt}::timestamptz
    `.execute(db)
  const [takeOver] = rows
  if (!takeOver) throw new Error('An aggregate has a row')
  return takeOver
}

/** The database's clock, with all its digits: a time from the driver has milliseconds. */
export async function clockOf(db: Kysely<Database>): Promise<string> {
  const { rows } = await sql<{ now: string }>`select clock_timestamp()::text as now`.execute(db)
  return rows[0]?.now ?? ''
}
