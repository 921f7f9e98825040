import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { type AuditEventRow, insertEvents } from '../audit-events/record.js'
import { columnsOf } from '../database/expressions.js'
import type { Database } from '../database/schema.js'
import { prepare } from '../database/statements.js'
import type { createSession } from '../identity/sessions.js'
import type { adminFromRegistration } from './profile.js'

type NewSession = ReturnType<typeof createSession>

interface Registration {
  organization_name: string
  admin: ReturnType<typeof adminFromRegistration>
  password_hash: string
  session: NewSession['session']
  refreshToken: NewSession['refreshToken']
  events: AuditEventRow[]
}

/**
 * All that a registration creates, in one statement and so altogether or not at all. The rows are
 * those that `insertOrganization`, `insertEmail`, `insertUsers`, `setPassword` and `startSession`
 * write elsewhere one by one.
 */
export async function insertRegistration(db: Kysely<Database>, registration: Registration) {
  const { organization_name, admin, password_hash, session, refreshToken, events } = registration
  await registerInOneStatement(db, {
    organization_name,
    organization_id: admin.organization_id,
    user_id: admin._id,
    email: admin.email.toLowerCase(),
    admin: JSON.stringify(admin),
    password_hash,
    session_id: session._id,
    expires_at: session.expires_at,
    token_hash: refreshToken.hash,
    events: JSON.stringify(events),
  })
}

const adminColumns = columnsOf<Registration['admin']>({
  organization_id: true,
  _id: true,
  username: true,
  email: true,
  role: true,
  full_name: true,
  education: true,
  certifications: true,
  hobbies: true,
  career_goals: true,
  metadata: true,
})

type Values = Record<
  | 'organization_name'
  | 'organization_id'
  | 'user_id'
  | 'email'
  | 'admin'
  | 'password_hash'
  | 'session_id'
  | 'expires_at'
  | 'token_hash'
  | 'events',
  string
>

const registerInOneStatement = prepare('insert_registration', (db, values: Values) => {
  const { organization_id, user_id, session_id, organization_name: name, email } = values
  const { admin, password_hash, expires_at, token_hash, events } = values
  const adminRow = sql<Registration['admin']>`jsonb_populate_record(null::users, ${admin}::jsonb)`
  return db
    .with('recorded', (q) => insertEvents(q, events))
    .with('organization', (q) =>
      q.insertInto('organizations').values({ _id: organization_id, name }),
    )
    .with('branding', (q) =>
      q.insertInto('brandings').values({ organization_id, company_name: name }),
    )
    .with('registry', (q) =>
      q.insertInto('email_registry').values({ email, organization_id, user_id }),
    )
    .with('admin', (q) =>
      q
        .insertInto('users')
        .columns(adminColumns)
        .expression(q.selectFrom(adminRow.as('row')).select(adminColumns)),
    )
    .with('credential', (q) =>
      q.insertInto('credentials').values({ organization_id, user_id, password_hash }),
    )
    .with('session', (q) =>
      q.insertInto('sessions').values({ organization_id, _id: session_id, user_id, expires_at }),
    )
    .insertInto('refresh_tokens')
    .values({ organization_id, session_id, token_hash })
})
