import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { type Account, accountOf } from '../accounts.js'
import { switchChain } from './chain-switch.js'
import { insertMembers } from './members.js'

/** Scenarios write to organizations of this name only, which are removed afterwards. */
export const temporaryName = 'Temporary organization'
const mailDomain = 'temporary.example'

const run = randomBytes(4).toString('hex')
let emails = 0

export function temporaryEmail(): string {
  return `person-${run}-${++emails}@${mailDomain}`
}

export const insertTemporaryOrganizations = (client: pg.Client, organizations: number) =>
  insertMembers(client, { organizations, name: temporaryName })

const audited = ['audit_events', 'unsealed_events', 'audit_seals', 'audit_retentions']

const written = `organizations, brandings, users, credentials, email_registry, login_sessions,
  refresh_tokens, ${audited.join(', ')}`

/** Restores the generated data for the next scenario. */
export async function removeTemporary(client: pg.Client): Promise<void> {
  await switchChain(client, 'chained')
  // Only retention gets past the trigger that protects events.
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
  await client.query('reset audit.retention')
  if (_ids.length > 0) await client.query(`vacuum (analyze) ${written}`)
}

/** Selects the admins of generated organizations. */
export async function selectAdmins(client: pg.Client, organizations: number[]): Promise<Account[]> {
  const { rows } = await client.query<{ organization_id: string; user_id: string }>(
    `select bench.organization_id(number), bench.user_id(number, 1)
    from unnest($1::int[]) with ordinality as tenant (number, ordinal) order by ordinal`,
    [organizations],
  )
  return rows.map(({ organization_id, user_id }) => accountOf(organization_id, user_id))
}
