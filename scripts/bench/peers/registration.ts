import { createHash, randomBytes } from 'node:crypto'
import argon2 from 'argon2'
import { parse, v7 } from 'uuid'
import { eventDocument } from './event-document.js'
import { Refusal } from './peer.js'

export interface Registration {
  email: string
  password: string
  organization_name: string
  first_name: string
  last_name: string
}

export const registrationSchema = {
  type: 'object',
  required: ['email', 'password', 'organization_name', 'first_name', 'last_name'],
  properties: {
    email: { type: 'string', minLength: 3, maxLength: 254, pattern: '^\\s*[^\\s@]+@[^\\s@]+\\s*$' },
    password: { type: 'string', minLength: 8, maxLength: 128 },
    organization_name: { type: 'string', minLength: 1, maxLength: 200 },
    first_name: { type: 'string', minLength: 1, maxLength: 100 },
    last_name: { type: 'string', minLength: 1, maxLength: 100 },
  },
} as const

export function checkRegistration(body: unknown): Registration {
  if (typeof body !== 'object' || body === null) throw new Refusal(422)
  for (const [name, { minLength, maxLength }] of Object.entries(registrationSchema.properties)) {
    const text: unknown = Reflect.get(body, name)
    if (typeof text !== 'string' || text.length < minLength || text.length > maxLength) {
      throw new Refusal(422)
    }
  }
  const registration = body as Registration
  if (!/^\s*[^\s@]+@[^\s@]+\s*$/.test(registration.email)) throw new Refusal(422)
  return registration
}

/** With the service's own parameters. */
export function hashPassword(password: string): Promise<string> {
  return argon2.hash(password, {
    type: argon2.argon2id,
    memoryCost: 19_456,
    timeCost: 2,
    parallelism: 1,
  })
}

/** What a registration makes of its body. */
export async function newAdmin(body: Registration) {
  const password_hash = await hashPassword(body.password)
  const email = body.email.trim()
  const [local = ''] = email.toLowerCase().split('@')
  const organization_id = v7()
  return {
    organization_id,
    organization_name: body.organization_name.trim(),
    user_id: v7(),
    username: local
      .replace(/[^a-z0-9._-]+/g, '-')
      .slice(0, 50)
      .padEnd(3, '0'),
    email,
    full_name: `${body.first_name.trim()} ${body.last_name.trim()}`,
    password_hash,
    session_id: v7(),
    refresh_token: newRefreshToken(organization_id),
    event_ids: [v7(), v7()] as const,
    request_id: v7(),
  }
}

/** As the service makes them: the organization and a secret. */
function newRefreshToken(organization_id: string): string {
  return Buffer.concat([parse(organization_id), randomBytes(32)]).toString('base64url')
}

const sessionMs = 30 * 24 * 3_600_000

type NewAdmin = Awaited<ReturnType<typeof newAdmin>>

/** What the access token of a new admin says. */
export function subjectOf({ user_id, organization_id, session_id }: NewAdmin) {
  return { sub: user_id, org: organization_id, role: 'admin' as const, sid: session_id }
}

export function grantOf(admin: NewAdmin, access_token: string) {
  const { user_id, username, organization_id, refresh_token } = admin
  const identity = { user_id, username, organization_id, role: 'admin' }
  return { access_token, ...identity, token_type: 'bearer', expires_in: 3600, refresh_token }
}

function registrationDocument(_id: string, category: string, event_type: string): string {
  return eventDocument({
    _id: `${_id}::uuid`,
    organization_id: '$1::uuid',
    category: `'${category}'`,
    event_type: `'${event_type}'`,
    status: `'success'`,
    actor_type: `'user'`,
    actor_id: '$4::text',
    request_id: '$5::text',
    metadata: `'{}'::jsonb`,
  })
}

/** What a registration inserts. One after the other in a transaction, or all in one statement. */
export function registrationInserts(
  admin: NewAdmin,
): { name: string; text: string; values: unknown[] }[] {
  const { organization_id, user_id, session_id, event_ids, request_id } = admin
  const token_hash = createHash('sha256').update(admin.refresh_token).digest('hex')
  return [
    {
      name: 'email',
      text: 'insert into email_registry (email, organization_id, user_id) values ($1, $2, $3)',
      values: [admin.email.toLowerCase(), organization_id, user_id],
    },
    {
      name: 'organization',
      text: 'insert into organizations (_id, name) values ($1, $2)',
      values: [organization_id, admin.organization_name],
    },
    {
      name: 'branding',
      text: 'insert into brandings (organization_id, company_name) values ($1, $2)',
      values: [organization_id, admin.organization_name],
    },
    {
      name: 'admin',
      text: `insert into users (organization_id, _id, username, email, role, full_name)
        values ($1, $2, $3, $4, 'admin', $5)`,
      values: [organization_id, user_id, admin.username, admin.email, admin.full_name],
    },
    {
      name: 'credential',
      text: `insert into credentials (organization_id, user_id, password_hash) values ($1, $2, $3)`,
      values: [organization_id, user_id, admin.password_hash],
    },
    {
      name: 'registration events',
      text: `insert into audit_events (organization_id, _id, category, event_type, status,
          actor_type, actor_id, request_id, document)
        values ($1, $2, 'organization', 'organization_created', 'success', 'user', $4, $5,
            ${registrationDocument('$2', 'organization', 'organization_created')}),
          ($1, $3, 'auth', 'user_registered', 'success', 'user', $4, $5,
            ${registrationDocument('$3', 'auth', 'user_registered')})`,
      values: [organization_id, ...event_ids, user_id, request_id],
    },
    {
      name: 'session',
      text: `insert into login_sessions (organization_id, _id, user_id, expires_at)
        values ($1, $2, $3, $4)`,
      values: [organization_id, session_id, user_id, new Date(Date.now() + sessionMs)],
    },
    {
      name: 'refresh token',
      text: `insert into refresh_tokens (organization_id, session_id, token_hash)
        values ($1, $2, $3)`,
      values: [organization_id, session_id, token_hash],
    },
  ]
}

/** The same inserts as one statement, which is one round trip and a transaction of its own. */
export function registrationStatement(admin: NewAdmin) {
  const values: unknown[] = []
  const inserts = registrationInserts(admin).map((insert, index) => {
    const before = values.length
    values.push(...insert.values)
    const text = insert.text.replace(/\$(\d+)/g, (_, number) => `$${before + Number(number)}`)
    return `insert${index} as (${text})`
  })
  return { name: 'registration', text: `with ${inserts.join(', ')} select`, values }
}
