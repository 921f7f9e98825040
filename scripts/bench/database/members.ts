import type pg from 'pg'
import { signToken } from '../accounts.js'

export interface Member {
  organization_id: string
  user_id: string
  role: 'admin' | 'employee'
  token: string
}

interface Size {
  organizations: number
  /** In each organization. */
  employees?: number
  /** The name of every organization. */
  name?: string
}

/** Inserts organizations with an admin and some employees each, who are all logged in. */
export async function insertMembers(
  client: pg.Client,
  { organizations, employees = 0, name = 'Bench' }: Size,
): Promise<Member[]> {
  const { rows } = await client.query<Omit<Member, 'token'>>(
    `with organization as (
      insert into organizations (_id, name)
      select gen_random_uuid(), $3 from generate_series(1, $1::integer)
      returning _id, name
    ), branding as (
      insert into brandings (organization_id, company_name) select _id, name from organization
    ), member as (
      insert into users (organization_id, _id, username, email, role)
      select _id, gen_random_uuid(), 'user' || number, number || '@' || _id || '.example',
        case number when 0 then 'admin' else 'employee' end
      from organization, generate_series(0, $2::integer) as number
      returning organization_id, _id, role
    ), login as (
      insert into login_sessions (organization_id, _id, user_id, expires_at)
      select organization_id, _id, _id, timestamptz '2100-01-01Z' from member
    )
    select organization_id, _id as user_id, role from member`,
    [organizations, employees, name],
  )
  return rows.map((row) => {
    const { organization_id: org, user_id: sub, role } = row
    return { ...row, token: signToken({ sub, sid: sub, org, role }) }
  })
}
