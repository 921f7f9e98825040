import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { switchChain } from './chain-switch.js'
import { endOfHistory, tenants } from './data/tenants.js'
import { adminOf, type Tenant } from './setting.js'

/** By this name everything that a scenario writes is found again and removed. */
export const temporaryName = 'Temporary organization'
const mailDomain = 'temporary.example'

const run = randomBytes(4).toString('hex')
let emails = 0

export function temporaryEmail(): string {
  return `person-${run}-${++emails}@${mailDomain}`
}

/** Organizations with an admin each, who is logged in. */
export async function insertTemporaryOrganizations(
  client: pg.Client,
  count: number,
): Promise<Tenant[]> {
  const { rows } = await client.query<{ organization_id: string; user_id: string }>(
    `with organization as (
      insert into organizations (_id, name)
      select gen_random_uuid(), $1 from generate_series(1, $2::int) returning _id, name
    ),
    branding as (
      insert into brandings (organization_id, company_name) select _id, name from organization
    ),
    admin as (
      insert into users (organization_id, _id, username, email, role)
      select _id, gen_random_uuid(), 'admin', 'admin@' || _id || '.example', 'admin'
      from organization
      returning organization_id, _id
    )
    insert into login_sessions (organization_id, _id, user_id, expires_at)
    select organization_id, _id, _id, timestamptz '2100-01-01Z' from admin
    returning organization_id, user_id`,
    [temporaryName, count],
  )
  return rows.map(adminOf)
}

const audited = ['audit_events', 'unsealed_events', 'audit_seals', 'audit_retentions']

const written = [
  'organizations',
  'brandings',
  'users',
  'credentials',
  'email_registry',
  'login_sessions',
  'refresh_tokens',
  ...audited,
]

/** Leaves the data as they were generated, for the next scenario and the next run. */
export async function removeTemporary(client: pg.Client): Promise<void> {
  await switchChain(client, 'chained')
  // As retention does: nobody else gets past the trigger that keeps events.
  await client.query(`set audit.retention to 'on'`)
  const removed = await client.query<{ _id: string }>(
    'select _id from organizations where name = $1',
    [temporaryName],
  )
  const _ids = removed.rows.map(({ _id }) => _id)
  for (const table of audited) {
    await client.query(`delete from ${table} where organization_id = any($1::uuid[])`, [_ids])
  }
  await client.query('delete from organizations where _id = any($1::uuid[])', [_ids])
  await client.query(`delete from email_registry where email like '%@${mailDomain}'`)
  const later = await removeLaterEvents(client)
  await client.query('reset audit.retention')
  if (_ids.length > 0 || later > 0) await client.query(`vacuum (analyze) ${written.join(', ')}`)
}

/** Removes what scenarios recorded in the generated trail that is exported, and gives how much. */
async function removeLaterEvents(client: pg.Client): Promise<number> {
  const removed = await client.query(
    `with event as (
      delete from audit_events
      where organization_id = bench.organization_id($1) and created_at > $2
      returning organization_id, _id
    ), queued as (
      delete from unsealed_events using event
      where unsealed_events.organization_id = event.organization_id and event_id = _id
    )
    delete from audit_seals using event
    where audit_seals.organization_id = event.organization_id and event_id = _id`,
    [tenants.auditMillion.number, endOfHistory],
  )
  return removed.rowCount ?? 0
}
