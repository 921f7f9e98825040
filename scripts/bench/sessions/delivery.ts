import type pg from 'pg'

const dueAt = `session.anchor_at + line.offset_ms::float8 / session.speed * interval '1 ms'`

/** A decision of a line's session. */
const ofLine =
  'decision.organization_id = line.organization_id and decision.session_id = line.session_id'

/** Whether all decisions of a line have ended as it needs them. The lines here have no `unless`. */
const isWanted = `not exists (
  select from (
    select wanted.beat, null as status, wanted.options
    from jsonb_to_recordset(line.conditions->'only_if') as wanted (beat text, options jsonb)
    union all select line.acknowledges, 'decided', null where line.acknowledges is not null
    union all select line.lapses, 'lapsed', null where line.lapses is not null
  ) as wanted
  left join session_decisions as decision on ${ofLine} and decision.beat = wanted.beat
  where decision.option is null or decision.status <> wanted.status
    or not wanted.options ? decision.option)`

/** Messages and the events that say who posted them. */
const unpairedMessages = `select from session_messages full join (
    select metadata->>'message_id' as message_id, count(*) as events from audit_events
    where event_type in ('message_delivered', 'decision_made') group by 1
  ) as event on message_id = _id::text
  where _id is null or events is distinct from 1`

/** Lines that were passed over, and the events that say why. */
const unpairedLines = `select from (
    select line.session_id, line.position from planned_lines as line
    join simulation_sessions as session
      on session.organization_id = line.organization_id and session._id = line.session_id
    left join session_messages as message
      on message.organization_id = line.organization_id
      and message.session_id = line.session_id and message.plan_position = line.position
    where line.position < session.next_position and message._id is null
  ) as line full join (
    select case_id, (metadata->>'position')::integer as event_position, count(*) as events
    from audit_events where event_type = 'message_withheld' group by 1, 2
  ) as event on case_id = session_id::text and event_position = position
  where session_id is null or events is distinct from 1`

/** How late messages were, and counts of what must never happen. */
export interface Delivery {
  /** Messages that were to be posted. */
  due: number
  /** Lines that were not to be posted, and were not. */
  withheld: number
  missing: number
  p50: number | null
  p99: number | null
  max: number | null
  /** Messages that were posted against their conditions. */
  unwanted: number
  twice: number
  /** Sessions whose `seq` is not 1, 2, 3 … in the order of the plan. */
  unordered: number
  /** Messages without one audit event, lines withheld without one, or events without their cause. */
  unpaired: number
  /** Sessions whose clock was set back, which hides how late their messages are. */
  shifted: number
}

/** Looks at the messages that were due from one time to another. */
export async function selectDelivery(client: pg.Client, from: Date, to: Date): Promise<Delivery> {
  const { rows } = await client.query<Delivery>(
    `with line as (
      select extract(epoch from message.posted_at - (${dueAt}))::float8 * 1000 as delay,
        message._id is not null as is_posted, ${isWanted} as is_wanted
      from simulation_sessions as session
      join planned_lines as line
        on line.organization_id = session.organization_id and line.session_id = session._id
      left join session_messages as message
        on message.organization_id = line.organization_id
        and message.session_id = line.session_id and message.plan_position = line.position
      where ${dueAt} >= $1::timestamptz and ${dueAt} < $2::timestamptz
    )
    select count(*) filter (where is_wanted)::int as due,
      count(*) filter (where not is_wanted and not is_posted)::int as withheld,
      count(*) filter (where is_wanted and not is_posted)::int as missing,
      count(*) filter (where is_posted and not is_wanted)::int as unwanted,
      percentile_disc(0.5) within group (order by delay) as p50,
      percentile_disc(0.99) within group (order by delay) as p99, max(delay) as max,
      (select (count(*) - count(distinct (session_id, plan_position)))::int from session_messages
        where plan_position is not null) as twice,
      (select count(distinct session_id)::int from (
        select session_id, seq, row_number() over in_order as number, plan_position,
          max(plan_position) over (in_order rows between unbounded preceding and 1 preceding)
            as before
        from session_messages window in_order as (partition by session_id order by seq)) as message
        where seq <> number or plan_position <= before) as unordered,
      (select count(*)::int from (${unpairedMessages} union all ${unpairedLines}) as one) as unpaired,
      (select count(*)::int from simulation_sessions where deviations <> '[]') as shifted
    from line`,
    [from.toISOString(), to.toISOString()],
  )
  const [delivery] = rows
  if (!delivery?.due) throw new Error('No message was due in the measured time')
  return delivery
}

/** Returns how many faults of any kind there are, without missing messages. */
export const faultsOf = ({ unwanted, twice, unordered, unpaired, shifted }: Delivery) =>
  unwanted + twice + unordered + unpaired + shifted
