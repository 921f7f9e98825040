import type pg from 'pg'
import { isoTime } from '../peers/lists.js'
import { eventKinds, oldestKind } from './event-kinds.js'
import { organizationCount, tenants, usualEvents } from './tenants.js'

/** Events that one statement inserts: long histories take minutes, and show that they move on. */
const batch = 500_000

export async function generateAuditEvents(client: pg.Client, most: number): Promise<void> {
  const indexes = await dropIndexes(client)
  await doNotCheckForeignKeys(client)
  await client.query(createKinds)
  await client.query(...insertUsual)
  await insertHistory(client, tenants.audit1.number, tenants.audit1.events)
  await insertHistory(client, tenants.audit10000.number, tenants.audit10000.events)
  const million = Math.min(most, tenants.auditMillion.most)
  await insertHistory(client, tenants.auditMillion.number, million)
  await insertHistory(client, tenants.auditMost.number, most)
  await client.query('set session_replication_role = default').catch(() => {})
  for (const index of indexes) {
    console.error(`  ${index.slice(0, index.indexOf(' USING'))}`)
    await client.query(index)
  }
}

/** Indexes built afterwards take a fraction of the time. The migrations say which there are. */
async function dropIndexes(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
    from pg_index where indrelid = 'audit_events'::regclass and not indisunique`)
  for (const { name } of rows) await client.query(`drop index ${name}`)
  return rows.map(({ definition }) => definition)
}

/** Only a superuser may leave them out; anyone else waits a little longer. */
async function doNotCheckForeignKeys(client: pg.Client): Promise<void> {
  await client.query('set session_replication_role = replica').catch(() => {})
}

const [oldCategory, oldType, oldStatus] = oldestKind
let upTo = 0
const kindRows = eventKinds.map(([share, category, event_type, status]) => {
  upTo += share
  return `(int4range(${upTo - share}, ${upTo}), '${category}', '${event_type}', '${status}')`
})

/** Which kind each of a hundred thousand random numbers stands for. */
const createKinds = `
  create temporary table kinds as
  select part, category, event_type, status
  from (values ${kindRows.join(', ')}) as kind (parts, category, event_type, status),
    generate_series(lower(parts), upper(parts) - 1) as part;
  alter table kinds add primary key (part);
  analyze kinds`

/** One history in the order of time, over the half year before october 2026. */
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

/** What an event of a simulation is about. Not quite half of all events are of one. */
const references = Object.entries({
  case_id: `'case-' || number / 10000`,
  conversation_id: `'conversation-' || number / 400`,
  channel_id: `'channel-' || number / 20 % 8`,
  thread_id: `'thread-' || number / 20`,
}).map(
  ([name, value]) => `case when is_old or category = '${oldCategory}' then ${value} end as ${name}`,
)

/** The text that the service would have stored; no value has anything to be escaped. */
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
        case when is_old then '${oldCategory}' else category end as category,
        case when is_old then '${oldType}' else event_type end as event_type,
        case when is_old then '${oldStatus}' else status end as status,
        'user' as actor_type, bench.user_id(organization, 1 + number % 3)::text as actor_id,
        bench.id(ms, 'request ' || number)::text as request_id,
        ${references.join(', ')},
        '{"attempt":' || number % 3 || '}' as metadata,
        to_timestamp(ms / 1000.0)::timestamptz(3) as created_at
      from (
        select organization, number, 1775001600000 + (15811200000 * number / $5::bigint) as ms,
          $5::bigint >= 1000 and number <= $5::bigint / 100 and number % 2 = 0 as is_old,
          -- The hash spreads evenly and is the same on every server of one version.
          abs(hashint8extended(number, 0) % 100000) as part
        from generate_series($1::int, $2::int) as organization,
          generate_series($3::int, $4::int) as number
      ) as event join kinds using (part)
      order by organization, number
    ) as event`
  return [statement, [...organizations, ...numbers, events]]
}
