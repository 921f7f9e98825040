import type pg from 'pg'
import { send } from './client.js'
import * as requests from './requests.js'
import type { Trial } from './same-answers.js'
import type { Tenant } from './setting.js'
import type { Side } from './sides.js'

/** Changes a branding twice, and looks at the event of the second change. */
export async function askForBranding(
  client: pg.Client,
  { url }: Side,
  tenant: Tenant,
): Promise<Trial> {
  await send(url, requests.updateBranding(tenant, 1), 200)
  const { body, bytes } = await send(url, requests.updateBranding(tenant, 2), 200)
  const { rows } = await client.query(
    `select category, event_type, status, actor_type, actor_id, metadata from audit_events
    where organization_id = $1 order by created_at desc, _id desc limit 1`,
    [tenant.organization_id],
  )
  return { bytes, comparable: { ...Object(body), updated_at: 'now', event: rows[0] } }
}

/** Everything a registration writes, but for what is new each time: that has to fit the answer. */
const selectRegistered = `
  select role, is_bot, is_active, full_name, education, metadata,
    (select count(*)::int from brandings b where b.organization_id = u.organization_id
      and company_name = name) as brandings,
    (select array_agg(substr(password_hash, 1, 30)) from credentials c
      where c.organization_id = u.organization_id and not is_temporary) as hashes,
    (select json_agg(json_build_array(category, event_type, status, actor_type, e.metadata,
        actor_id = u._id::text) order by category)
      from audit_events e where e.organization_id = u.organization_id) as events,
    (select json_agg(json_build_array(s._id::text = $2, s.user_id = u._id, ended_at,
        round(extract(epoch from expires_at - s.created_at) / 60)))
      from login_sessions s where s.organization_id = u.organization_id) as sessions,
    (select json_agg(json_build_array(session_id::text = $2, used_at,
        token_hash = encode(sha256($3::text::bytea), 'hex')))
      from refresh_tokens t where t.organization_id = u.organization_id) as refresh_tokens
  from users u join organizations o on o._id = u.organization_id where u.organization_id = $1`

/** Registers, and looks at all that was written. */
export async function askToRegister(client: pg.Client, { url }: Side): Promise<Trial> {
  const { body, bytes } = await send(url, requests.register(), 201)
  const { access_token, refresh_token, user_id, username, organization_id, ...rest } = Object(body)
  const claims = JSON.parse(Buffer.from(access_token.split('.')[1], 'base64url').toString())
  const { rows } = await client.query(selectRegistered, [
    organization_id,
    claims.sid,
    refresh_token,
  ])
  // Asked apart, because on a cluster addresses are not where their organizations are.
  const emails = await client.query('select email from email_registry where user_id = $1', [
    user_id,
  ])
  const comparable = {
    ...rest,
    emails: emails.rowCount,
    claims: Object.keys(claims).sort(),
    lengths: [user_id, organization_id, refresh_token].map(({ length }) => length),
    hasUsername: username.length > 3,
    written: rows,
  }
  return { bytes, comparable }
}
