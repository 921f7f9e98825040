import { send } from '../client.js'
import { type Duel, runDuel } from '../duel.js'
import { measureHashRate } from '../hash-rate.js'
import * as requests from '../requests.js'
import type { Trial } from '../same-answers.js'
import type { Scenario, Setting, Tenant } from '../setting.js'
import type { Side } from '../sides.js'
import { insertTemporaryOrganizations } from '../temporary.js'

const reads: Record<string, (tenants: Setting['tenants']) => Duel> = {
  audit100: ({ auditMost }) => ({
    title: 'audit events, 100 rows',
    requestsOf: () => [requests.listAuditEvents(auditMost)],
    expectedStatus: 200,
    goals: { limit: 0.85, handwritten: 1.6 },
  }),
  audit1: ({ audit1 }) => ({
    title: 'audit events, 1 row',
    requestsOf: () => [requests.listAuditEvents(audit1)],
    expectedStatus: 200,
    goals: { limit: 0.85, handwritten: 0.9 },
  }),
  users10: ({ users10 }) => ({
    title: 'users, 10 rows',
    requestsOf: () => [requests.listUsers(users10)],
    expectedStatus: 200,
    goals: { limit: 0.75, handwritten: 1.25 },
  }),
  users100: ({ users100 }) => ({
    title: 'users, 100 rows',
    requestsOf: () => [requests.listUsers(users100)],
    expectedStatus: 200,
    goals: { limit: 0.8, handwritten: 1.4 },
  }),
  templates: ({ templates }) => ({
    title: 'channel templates',
    requestsOf: () => [requests.listTemplates(templates)],
    expectedStatus: 200,
    goals: { limit: 0.85, handwritten: 1.4 },
  }),
}

const brandedOrganizations = 4
/** Requests that one connection repeats: no two connections ever send the same colour. */
const differentBrandings = 64

async function brandingDuel({ database }: Setting): Promise<Duel> {
  const tenants = await insertTemporaryOrganizations(database.client, brandedOrganizations)
  const tenantAt = (index: number) => tenants[index % tenants.length] as Tenant
  return {
    title: `branding PUT, ${brandedOrganizations} organizations`,
    requestsOf: (connection) =>
      Array.from({ length: differentBrandings }, (_, index) =>
        requests.updateBranding(
          tenantAt(connection + index),
          connection * differentBrandings + index,
        ),
      ),
    expectedStatus: 200,
    ask: (side) => askForBranding(database, side, tenantAt(0)),
    goals: { limit: 0.75, handwritten: 1.3 },
  }
}

async function askForBranding(
  { client }: Setting['database'],
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

function registerDuel({ database }: Setting): Duel {
  return {
    title: 'register (argon2id 19 MiB, t=2, p=1)',
    sides: ['service', 'bare agg', 'handwritten'],
    requestsOf: requests.registerAgainAndAgain,
    expectedStatus: 201,
    ask: (side) => askToRegister(database, side),
    ceiling: { what: 'argon2 alone, as many threads as cores', measure: measureHashRate },
    goals: { handwritten: 1, ceiling: 0.8 },
  }
}

/** Everything a registration writes, but for what is new each time: that has to fit the answer. */
const selectRegistered = `
  select role, is_bot, is_active, full_name, education, metadata,
    (select count(*)::int from brandings b where b.organization_id = u.organization_id
      and company_name = name) as brandings,
    (select count(*)::int from email_registry r where r.user_id = u._id) as emails,
    (select array_agg(substr(password_hash, 1, 30)) from credentials c
      where c.organization_id = u.organization_id and not is_temporary) as hashes,
    (select json_agg(json_build_array(category, event_type, status, actor_type, e.metadata,
        actor_id = u._id::text) order by category)
      from audit_events e where e.organization_id = u.organization_id) as events,
    (select json_agg(json_build_array(s._id::text = $2, s.user_id = u._id, ended_at,
        round(extract(epoch from expires_at - s.created_at) / 60)))
      from sessions s where s.organization_id = u.organization_id) as sessions,
    (select json_agg(json_build_array(session_id::text = $2, used_at,
        token_hash = encode(sha256($3::text::bytea), 'hex')))
      from refresh_tokens t where t.organization_id = u.organization_id) as refresh_tokens
  from users u join organizations o on o._id = u.organization_id where u.organization_id = $1`

async function askToRegister({ client }: Setting['database'], { url }: Side): Promise<Trial> {
  const { body, bytes } = await send(url, requests.register(), 201)
  const { access_token, refresh_token, user_id, username, organization_id, ...rest } = Object(body)
  const claims = JSON.parse(Buffer.from(access_token.split('.')[1], 'base64url').toString())
  const { rows } = await client.query(selectRegistered, [
    organization_id,
    claims.sid,
    refresh_token,
  ])
  const comparable = {
    ...rest,
    claims: Object.keys(claims).sort(),
    lengths: [user_id, organization_id, refresh_token].map(({ length }) => length),
    hasUsername: username.length > 3,
    written: rows,
  }
  return { bytes, comparable }
}

/** The operations that are measured against the peers. */
export const operationScenarios: Scenario[] = [
  ...Object.entries(reads).map(([name, duel]) => ({
    name,
    run: (setting: Setting) => runDuel(setting, duel(setting.tenants)),
  })),
  { name: 'branding', run: async (setting) => runDuel(setting, await brandingDuel(setting)) },
  { name: 'register', run: (setting) => runDuel(setting, registerDuel(setting)) },
]
