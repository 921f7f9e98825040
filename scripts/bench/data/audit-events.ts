import type pg from 'pg'
import { eventKinds } from './event-kinds.js'
import { isoTime } from './iso-time.js'
import { organizationCount, tenants, usualEvents } from './tenants.js'

/** Events of one statement. Long histories take minutes, so they report their progress. */
const batch = 500_000

export async function generateAuditEvents(client: pg.Client, most: number): Promise<void> {
  const indexes = await dropIndexes(client)
  await client.query(createKinds)
  await client.query(...insertUsual)
  await insertHistory(client, tenants.audit1.number, tenants.audit1.events)
  await insertHistory(client, tenants.audit10000.number, tenants.audit10000.events)
  const million = Math.min(most, tenants.auditMillion.most)
  await insertHistory(client, tenants.auditMillion.number, million)
  await insertHistory(client, tenants.auditMost.number, most)
  for (const index of indexes) {
    console.error(`  ${index.slice(0, index.indexOf(' USING'))}`)
    await client.query(index)
  }
}

/** Drops the indexes and returns their definitions: to build them afterwards is much faster. */
async function dropIndexes(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
    from pg_index where indrelid = 'audit_events'::regclass and not indisunique`)
  for (const { name } of rows) await client.query(`drop index ${name}`)
  return rows.map(({ definition }) => definition)
}

let upTo = 0
const kindRows = eventKinds.map(([share, category, event_type, status]) => {
  upTo += share
  return `(int4range(${upTo - share}, ${upTo}), '${category}', '${event_type}', '${status}')`
})

/** Assigns a kind of event to each of a hundred thousand numbers. */
const createKinds = `
  create temporary table kinds as
  select part, category, event_type, status
  from (values ${kindRows.join(', ')}) as kind (parts, category, event_type, status),
    generate_series(lower(parts), upper(parts) - 1) as part;
  alter table kinds add primary key (part);
  analyze kinds`

/** Inserts one history in the order of time, over the half year before October 2026. */
async function insertHistory(client: pg.Client, organization: number, events: number) {
  for (let from = 1; from <= events; from += batch) {
    const to = Math.min(from + batch - 1, events)
    if (events > batch) console.error(`  audit events ${to} of ${events}`)
    await client.query(...insertEvents([organization, organization], [from, to], events))
  }
}

const columns = [
  '_id',
  'organization_id',
  'category',
  'event_type',
  'status',
  'actor_type',
  'actor_id',
  'case_id',
  'request_id',
  'conversation_id',
  'channel_id',
  'thread_id',
]

/** References of events that belong to a simulation, which are nearly half of all. */
const references = Object.entries({
  case_id: `'case-' || number / 10000`,
  conversation_id: `'conversation-' || number / 400`,
  channel_id: `'channel-' || number / 20 % 8`,
  thread_id: `'thread-' || number / 20`,
}).map(([name, value]) => `case when category = 'simulation' then ${value} end as ${name}`)

/** The text that the service stores. No value needs escaping. */
const document = `'{' || ${columns.map(field).join(` || ',' || `)} ||
  ',"metadata":' || metadata || ',"created_at":"' || ${isoTime('created_at')} ||
  '","updated_at":"' || ${isoTime('created_at')} || '"}'`

function field(column: string): string {
  return `'"${column}":' || coalesce('"' || ${column} || '"', 'null')`
}

const insertUsual = insertEvents([100, organizationCount], [1, usualEvents], usualEvents)

/** About 480 bytes an event as JSON. */
function insertEvents(
  organizations: [number, number],
  numbers: [number, number],
  events: number,
): [string, unknown[]] {
  const statement = `
    insert into audit_events (${columns.join(', ')}, metadata, created_at, document)
    select ${columns.join(', ')}, metadata::jsonb, created_at, ${document}
    from (
      select bench.organization_id(organization) as organization_id,
        bench.id(ms, organization || ' ' || number) as _id,
        category, event_type, status,
        'user' as actor_type, bench.user_id(organization, 1 + number % 3)::text as actor_id,
        bench.id(ms, 'request ' || number)::text as request_id,
        ${references.join(', ')},
        '{"attempt":' || number % 3 || '}' as metadata,
        to_timestamp(ms / 1000.0)::timestamptz(3) as created_at
      from (
        select organization, number, 1775001600000 + (15811200000 * number / $5::bigint) as ms,
          -- The hash spreads evenly and is the same on every server of one version.
          abs(hashint8extended(number, 0) % 100000) as part
        from generate_series($1::int, $2::int) as organization,
          generate_series($3::int, $4::int) as number
      ) as event join kinds using (part)
      order by organization, number
    ) as event`
  return [statement, [...organizations, ...numbers, events]]
}
