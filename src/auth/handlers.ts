import { recordAuditEvents } from '../audit-events/record.js'
import { type Handler, JsonText, type OperationRequest } from '../contract.js'
import { mailLink, storeLink } from '../email-verification/link.js'
import { invalidCredentials, invalidToken, seatTakenOver } from '../errors.js'
import { valueError } from '../faults.js'
import { createId } from '../formats/identifiers.js'
import { attemptFrom } from '../identity/attempts/attempts.js'
import { callerOf } from '../identity/caller.js'
import { setPassword, updatePasswordHash } from '../identity/credentials.js'
import { endSessions } from '../identity/login-sessions/login-session-queries.js'
import {
  createLoginSession,
  rotateRefreshToken,
  startLoginSession,
} from '../identity/login-sessions/login-sessions.js'
import { networkOf, prefixes } from '../identity/network.js'
import { type OpaqueToken, readOpaqueToken } from '../identity/opaque-token.js'
import { normalizePassword } from '../identity/password.js'
import { nameIgnored } from '../ignored-fields.js'
import { recordAcceptance } from '../invitations/acceptance.js'
import { claimAddress } from '../users/address.js'
import { insertEmail, selectUser } from '../users/queries.js'
import { recordFailedLogin } from './failed-login.js'
import { adminFromRegistration } from './profile.js'
import * as queries from './queries.js'
import { insertRegistration } from './registration-queries.js'

export const register: Handler<'register'> = async (request) => {
  const { config, mail, passwords, registrations, tokens } = request.server
  await registrations.count(attemptFrom(networkOf(request.network, prefixes.site)))
  const password_hash = await passwords.hash(request.body.password, request.turnKey)
  const organization_id = createId()
  const name = request.body.organization_name.trim()
  const admin = adminFromRegistration(organization_id, request.body)
  const { session, refreshToken } = createLoginSession(config, admin)
  const { _id: session_id, expires_at } = session
  const { hash: token_hash } = refreshToken

  const verification = await request.db.transaction().execute(async (trx) => {
    // An address is verified by a link in a mail.
    if (mail.isConfigured) {
      await claimAddress(trx, admin.email, { organization_id, user_id: admin._id })
    } else await insertEmail(trx, admin)
    const login = { session_id, expires_at, token_hash }
    await insertRegistration(trx, { ...admin, name, password_hash, ...login })
    const event = { organization_id, actor_id: admin._id }
    await recordAuditEvents(trx, request, [
      { ...event, category: 'organization', event_type: 'organization_created' },
      { ...event, category: 'auth', event_type: 'user_registered' },
    ])
    return mail.isConfigured ? storeLink(trx, { organization_id, user_id: admin._id }) : null
  })
  // The answer does not wait for the mail server. `resendVerification` sends the letter again.
  if (verification) void mailLink(request, admin.email, verification)
  return tokens.grant({ ...admin, role: 'admin' }, session, refreshToken)
}

export const login: Handler<'login'> = async (request) => {
  const { db, network } = request
  const { failedLogins, failuresOfNetworks, passwords } = request.server
  const { email, password } = request.body
  const account = await failuresOfNetworks.guess(attemptFrom(network), () =>
    failedLogins.guess({ email, ip: network }, () => openAccount(request)),
  )
  if (!account) throw invalidCredentials()

  const rehashed = passwords.needsRehash(account.password_hash)
    ? await passwords.hash(password, request.turnKey)
    : null
  return db.transaction().execute(async (trx) => {
    const { organization_id, _id: actor_id, password_hash } = account
    const verified = { organization_id, user_id: actor_id, password_hash }
    if (!(await queries.lockVerified(trx, verified))) throw invalidCredentials()
    if (rehashed) await updatePasswordHash(trx, account, rehashed)
    await recordAuditEvents(trx, request, [
      { organization_id, category: 'auth', event_type: 'user_logged_in', actor_id },
    ])
    return startLoginSession(trx, request.server, account)
  })
}

/** The account with this e-mail address and password. Null if they are wrong. */
async function openAccount(request: OperationRequest<'login'>) {
  const { db } = request
  const { passwords } = request.server
  const { email, password } = request.body
  let known: Awaited<ReturnType<typeof queries.selectAccount>>
  for (const owner of await queries.selectOwners(db, email)) {
    const account = await queries.selectAccount(db, owner)
    const hash = account?.password_hash ?? null
    const matches = await passwords.verify(hash, password, request.turnKey)
    if (account && matches && account.is_active && !account.has_expired) return account
    known ??= account
  }
  if (known) recordFailedLogin(request, known)
  return null
}

export const refreshToken: Handler<'refreshToken'> = async (request) => {
  const token = readOpaqueToken(request.body.refresh_token)
  if (!token) throw invalidToken()
  const { grant, isTakenOver } = await renew(request, token)
  // Thrown after the commit, so that the session stays ended.
  if (!grant) throw isTakenOver ? seatTakenOver() : invalidToken()
  return grant
}

/** Rotates a refresh token. Ends its session if it was reused. */
function renew(request: OperationRequest<'refreshToken'>, token: OpaqueToken) {
  return request.server.authenticator.transaction(request.db, async (trx) => {
    const renewal = await rotateRefreshToken(trx, request.server, token)
    const { reusedBy } = renewal
    if (reusedBy) {
      const { _id: user_id, organization_id, session_id } = reusedBy
      await endSessions(trx, { organization_id, user_id }, { only: session_id })
      await recordAuditEvents(trx, request, [
        {
          organization_id,
          category: 'security',
          event_type: 'refresh_token_reuse',
          status: 'warning',
          metadata: { user_id, session_id },
        },
      ])
    }
    return renewal
  })
}

export const logout: Handler<'logout'> = async (request, reply) => {
  const { organization_id, user_id, session_id, seat } = callerOf(request)
  const wanted = request.body?.all ?? false
  if (wanted && seat) nameIgnored(reply, [{ loc: ['body', 'all'] }])
  const all = wanted && !seat
  await request.server.authenticator.transaction(request.db, async (trx) => {
    const filter = all ? {} : { only: session_id ?? '' }
    await endSessions(trx, { organization_id, user_id }, filter)
    await recordAuditEvents(trx, request, [
      { organization_id, category: 'auth', event_type: 'user_logged_out', metadata: { all } },
    ])
  })
}

export const changePassword: Handler<'changePassword'> = async (request) => {
  const { db } = request
  const { authenticator, failedLogins, passwords } = request.server
  const { current_password, new_password } = request.body
  const { organization_id, user_id } = callerOf(request)
  const owner = { organization_id, user_id }
  const { email, ...stored } = await queries.selectPassword(db, owner)
  const isCurrent = await failedLogins.guess({ email, ip: request.network }, async () => {
    return (await passwords.verify(stored.password_hash, current_password, organization_id)) || null
  })
  if (!isCurrent) throw notCurrent()
  if (normalizePassword(current_password) === normalizePassword(new_password)) {
    throw valueError(
      ['body', 'new_password'],
      'same_password',
      'must differ from the current password',
    )
  }

  const password_hash = await passwords.hash(new_password, organization_id)
  return authenticator.transaction(request.db, async (trx) => {
    await recordAcceptance(trx, request, owner)
    if (!(await queries.lockVerified(trx, { ...owner, ...stored }))) throw notCurrent()
    await setPassword(trx, { ...owner, password_hash })
    await endSessions(trx, owner)
    await recordAuditEvents(trx, request, [
      { organization_id, category: 'auth', event_type: 'password_changed' },
    ])
    const user = await selectUser(trx, owner)
    if (!user) throw invalidToken()
    return startLoginSession(trx, request.server, user)
  })
}

const notCurrent = () =>
  valueError(['body', 'current_password'], 'wrong_password', 'is not the current password')

export const getCurrentUser: Handler<'getCurrentUser'> = async (request) => {
  const { organization_id, user_id } = callerOf(request)
  const { isConfigured: has_mail } = request.server.mail
  const key = { organization_id, user_id, has_mail }
  const [found] = await queries.selectCurrentUser(request.db, key)
  if (!found) throw invalidToken()
  return new JsonText(found.json)
}
