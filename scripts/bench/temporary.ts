import { randomBytes } from 'node:crypto'
import type pg from 'pg'
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
    insert into sessions (organization_id, _id, user_id, expires_at)
    select organization_id, _id, _id, timestamptz '2100-01-01Z' from admin
    returning organization_id, user_id`,
    [temporaryName, count],
  )
  return rows.map(adminOf)
}

const written = [
  'organizations',
  'brandings',
  'users',
  'credentials',
  'email_registry',
  'sessions',
  'refresh_tokens',
  'audit_events',
]

/** Leaves the data as they were generated, for the next scenario and the next run. */
export async function removeTemporary(client: pg.Client): Promise<void> {
  const found = await client.query('delete from organizations where name = $1', [temporaryName])
  await client.query(`delete from email_registry where email like '%@${mailDomain}'`)
  if (found.rowCount === 0) return
  await client.query(`vacuum (analyze) ${written.join(', ')}`)
}
