import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { Database, Db } from '../../database/schema.js'
import { type ParametersOf, prepare } from '../../database/statements.js'

/** The table that each limit counts, and a condition if not all rows count. */
const counted = {
  people: ['users', sql`guest_of is null`],
  invitations: ['invitations'],
  api_keys: ['api_keys'],
  templates: ['channel_templates'],
  quick_setups: ['quick_setups'],
  consent_texts: ['consent_texts'],
  experiments: ['experiments'],
  sessions: ['simulation_sessions'],
  sessions_scheduled: ['simulation_sessions', sql`status = 'scheduled'`],
  sessions_running: ['simulation_sessions', sql`status in ('running', 'paused')`],
} as const satisfies Record<string, [keyof Database, RawBuilder<unknown>?]>

export type Counted = keyof typeof counted
export const countedNames = Object.keys(counted) as Counted[]

type OfOrganization = ParametersOf<{ organization_id: string }>

/** Each limit has its own statement, so that PostgreSQL keeps a plan for each. */
function prepareCount(name: Counted) {
  const [table, condition = sql`true`] = counted[name] as (typeof counted)['sessions_running']
  return prepare(
    `count_${name}`,
    (_db, { organization_id }: OfOrganization) => sql<{ used: number; override: number | null }>`
      select count(*) as used,
        (select allowed from organization_limits
          where organization_id = ${organization_id} and name = ${sql.lit(name)}) as override
      from ${sql.table(table)} where organization_id = ${organization_id} and ${condition}`,
  )
}

const counts = new Map(countedNames.map((name) => [name, prepareCount(name)]))

/** Returns how many rows count, and the limit that an operator has set; null for the default. */
export async function countRows(db: Db, organization_id: string, name: Counted) {
  const rows = await counts.get(name)?.(db, { organization_id })
  return rows?.[0] ?? { used: 0, override: null }
}

/** The templates of one of the named scenarios; with null, those of all other scenarios together. */
export interface TemplateCount {
  scenario_name: string | null
  templates: number
  bytes: number
}

const selectTemplateCounts = prepare(
  'count_templates_by_scenario',
  (_db, given: ParametersOf<{ organization_id: string; scenario_names: string[] }>) =>
    sql<TemplateCount>`
      select scenario_name, count(*) as templates, sum(message_bytes) as bytes
      from (
        select case when scenario_name = any(${given.scenario_names}::text[])
          then scenario_name end as scenario_name, message_bytes
        from channel_templates where organization_id = ${given.organization_id}
      ) as template
      group by scenario_name`,
)

/** Counts templates and their bytes, without reading their messages. */
export function countTemplates(
  db: Db,
  organization_id: string,
  scenario_names: string[],
): Promise<TemplateCount[]> {
  return selectTemplateCounts(db, { organization_id, scenario_names })
}

const selectFullest = prepare(
  'count_templates_of_fullest_scenario',
  (_db, { organization_id }: OfOrganization) => sql<{ templates: number; bytes: number }>`
    select coalesce(max(templates), 0) as templates, coalesce(max(bytes), 0) as bytes
    from (
      select count(*) as templates, sum(message_bytes) as bytes from channel_templates
      where organization_id = ${organization_id} group by scenario_name
    ) as scenario`,
)

/** Returns the most templates and the most bytes of any scenario of an organization. */
export async function countFullestScenario(db: Db, organization_id: string) {
  const [fullest] = await selectFullest(db, { organization_id })
  return fullest ?? { templates: 0, bytes: 0 }
}

const selectSetupBytes = prepare(
  'count_quick_setup_bytes',
  (_db, { organization_id }: OfOrganization) => sql<{ used: number }>`
    select coalesce(sum(kept_bytes), 0)::bigint as used
    from quick_setups where organization_id = ${organization_id}`,
)

/** Returns how many bytes all applied quick setups of an organization keep. */
export async function countSetupBytes(db: Db, organization_id: string): Promise<number> {
  const [row] = await selectSetupBytes(db, { organization_id })
  return row?.used ?? 0
}

const selectSessionBytes = prepare(
  'count_session_bytes',
  (_db, { organization_id }: OfOrganization) => sql<{ used: number }>`
    select coalesce(sum(2 * plan_bytes + stored_bytes), 0)::bigint as used
    from simulation_sessions where organization_id = ${organization_id}`,
)

/**
 * Returns how many bytes all sessions of an organization store. A plan counts twice until its session ends,
 * because its messages come on top.
 */
export async function countSessionBytes(db: Db, organization_id: string): Promise<number> {
  const [row] = await selectSessionBytes(db, { organization_id })
  return row?.used ?? 0
}

const selectEventsToday = prepare(
  'count_events_today',
  (_db, { organization_id }: OfOrganization) => sql<{ used: number }>`
    select coalesce(
        (select sequence from audit_seals where organization_id = ${organization_id}
          order by sequence desc limit 1)
        - (select sequence from audit_seals where organization_id = ${organization_id}
          and event_id = (
            select event._id from audit_events as event
            join audit_seals as seal
              on seal.organization_id = event.organization_id and seal.event_id = event._id
            where event.organization_id = ${organization_id}
              and event.created_at >= date_trunc('day', now())
            order by event.created_at, event._id limit 1)) + 1,
        0)
      + (select count(*) from (select from unsealed_events
          where organization_id = ${organization_id} limit 10000) as unsealed) as used`,
)

/**
 * Returns how many events an organization has recorded since midnight UTC. The sealer numbers events in
 * one sequence, so this is the last number minus the first one of today. Only events without a number,
 * of the last two seconds, are counted.
 */
export async function countEventsToday(db: Db, organization_id: string): Promise<number> {
  const [row] = await selectEventsToday(db, { organization_id })
  return row?.used ?? 0
}
