import type pg from 'pg'
import type { Tenant } from './setting.js'

export interface EventSample {
  actor_id: string
  request_id: string
  case_id: string
  conversation_id: string
  channel_id: string
  thread_id: string
  created_at: Date
}

/** What an event of a simulation is about, some way back in an organization's history. */
export async function selectEventSample(
  client: pg.Client,
  { organization_id }: Tenant,
  back: number,
): Promise<EventSample> {
  const { rows } = await client.query<EventSample>(
    `select actor_id, request_id, case_id, conversation_id, channel_id, thread_id, created_at
    from audit_events where organization_id = $1 and case_id is not null
    order by created_at desc, _id desc offset $2 limit 1`,
    [organization_id, back],
  )
  const [sample] = rows
  if (!sample) throw new Error(`There are no ${back} events of a simulation`)
  return sample
}
