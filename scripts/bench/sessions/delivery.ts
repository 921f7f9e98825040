import type pg from 'pg'

const dueAt = `session.anchor_at + line.offset_ms::float8 / session.speed * interval '1 ms'`

/** How late messages were, and counts of what must never happen. */
export interface Delivery {
  due: number
  missing: number
  p50: number | null
  p99: number | null
  max: number | null
  twice: number
  /** Sessions whose `seq` is not 1, 2, 3 … in the order of the plan. */
  unordered: number
  /** Messages without an audit event, or events without a message. */
  unpaired: number
  /** Sessions whose clock was set back, which hides how late their messages are. */
  shifted: number
}

/** Looks at the messages that were due from one time to another. */
export async function selectDelivery(client: pg.Client, from: Date, to: Date): Promise<Delivery> {
  const { rows } = await client.query<Delivery>(
    `with line as (
      select extract(epoch from message.posted_at - (${dueAt}))::float8 * 1000 as delay
      from simulation_sessions as session
      join session_plan as line
        on line.organization_id = session.organization_id and line.session_id = session._id
      left join session_messages as message
        on message.organization_id = line.organization_id
        and message.session_id = line.session_id and message.plan_position = line.position
      where ${dueAt} >= $1::timestamptz and ${dueAt} < $2::timestamptz
    )
    select count(*)::int as due, count(*) filter (where delay is null)::int as missing,
      percentile_disc(0.5) within group (order by delay) as p50,
      percentile_disc(0.99) within group (order by delay) as p99, max(delay) as max,
      (select (count(*) - count(distinct (session_id, plan_position)))::int from session_messages
        where plan_position is not null) as twice,
      (select count(distinct session_id)::int from (
        select session_id, seq, row_number() over in_order as number, plan_position,
          lag(plan_position) over in_order as before
        from session_messages window in_order as (partition by session_id order by seq)) as message
        where seq <> number or plan_position <= before) as unordered,
      (select count(*)::int from session_messages full join (
          select metadata->>'message_id' as message_id from audit_events
          where event_type = 'message_delivered') as event on message_id = _id::text
        where (_id is null or message_id is null)
          and coalesce(plan_position, 0) is not null) as unpaired,
      (select count(*)::int from simulation_sessions where deviations <> '[]') as shifted
    from line`,
    [from.toISOString(), to.toISOString()],
  )
  const [delivery] = rows
  if (!delivery) throw new Error('An aggregate always has a row')
  return delivery
}
