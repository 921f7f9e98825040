import { recordAuditEvents } from '../audit-events/record.js'
import type { Handler, OperationRequest, Schema } from '../contract.js'
import { jsonb } from '../database/expressions.js'
import { invalidCredentials } from '../errors.js'
import { createId } from '../identifiers.js'
import type { NewUser } from '../users/queries.js'
import { insertCredential, insertEmail, insertUsers } from '../users/queries.js'
import { usernameFromEmail } from '../users/username.js'
import { profileFromRegistration } from './profile.js'
import * as queries from './queries.js'

export const register: Handler<'register'> = async (request, reply) => {
  const { db, passwords, tokens } = request.server
  const { password, organization_name } = request.body
  const password_hash = await passwords.hash(password)

  const organization = { _id: createId(), name: organization_name.trim() }
  const organization_id = organization._id
  const admin = newAdmin(organization_id, request.body)
  const user = await db.transaction().execute(async (trx) => {
    await insertEmail(trx, admin)
    await queries.insertOrganization(trx, organization)
    const [inserted] = await insertUsers(trx, [admin])
    await insertCredential(trx, { organization_id, user_id: admin._id, password_hash })
    const actor_id = admin._id
    await recordAuditEvents(trx, request, [
      { organization_id, category: 'organization', event_type: 'organization_created', actor_id },
      { organization_id, category: 'auth', event_type: 'user_registered', actor_id },
    ])
    return inserted
  })
  reply.header('cache-control', 'no-store')
  return tokens.issue({ ...admin, ...user })
}

function newAdmin(organization_id: string, body: Schema<'Registration'>) {
  const profile = profileFromRegistration(body)
  const email = body.email.trim()
  return {
    organization_id,
    _id: createId(),
    username: usernameFromEmail(email),
    email,
    role: 'admin',
    full_name: profile.full_name,
    education: jsonb(profile.education),
    certifications: jsonb(profile.certifications),
    hobbies: jsonb(profile.hobbies),
    career_goals: jsonb(profile.career_goals),
    metadata: jsonb(profile.metadata),
  } satisfies NewUser
}

export const login: Handler<'login'> = async (request, reply) => {
  const { db, failedLogins, passwords, tokens } = request.server
  const { email, password } = request.body
  await failedLogins.check(request)

  const account = await queries.selectAccount(db, email)
  const matches = await passwords.verify(account?.password_hash ?? null, password)
  if (!account || !matches || !account.is_active || account.has_expired) {
    await failedLogins.count(request)
    if (account) recordFailedLogin(request, account)
    throw invalidCredentials()
  }

  const rehashed = passwords.needsRehash(account.password_hash)
    ? await passwords.hash(password)
    : null
  const { organization_id, _id: actor_id } = account
  await db.transaction().execute(async (trx) => {
    if (rehashed) await queries.updatePasswordHash(trx, account, rehashed)
    await recordAuditEvents(trx, request, [
      { organization_id, category: 'auth', event_type: 'user_logged_in', actor_id },
    ])
  })
  reply.header('cache-control', 'no-store')
  return tokens.issue(account)
}

/** Off the request's path, so that a known e-mail address does not show in the time it takes. */
function recordFailedLogin(
  request: OperationRequest<'login'>,
  { organization_id, _id }: { organization_id: string; _id: string },
): void {
  request.server.db
    .transaction()
    .execute((trx) =>
      recordAuditEvents(trx, request, [
        {
          organization_id,
          category: 'auth',
          event_type: 'login_failed',
          status: 'failure',
          metadata: { user_id: _id },
        },
      ]),
    )
    .catch((error: unknown) => request.log.error({ err: error }, 'failed login not recorded'))
}
