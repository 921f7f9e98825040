import type { FastifyRequest } from 'fastify'
import { recordAuditEvents } from '../audit-events/record.js'
import type { Handler } from '../contract.js'
import type { Db } from '../database/schema.js'
import { recordVerified } from '../email-verification/verified.js'
import { takeRecord } from '../identity/attempts/strangers-events.js'
import { setPassword } from '../identity/credentials.js'
import { addressOfLink } from '../identity/links/address.js'
import { linkRefused } from '../identity/links/ended-links.js'
import { endLink, insertLink, requireLink, useLink } from '../identity/links/newest-links.js'
import { endSessions } from '../identity/login-sessions/login-session-queries.js'
import { newPasswordOf } from '../identity/new-password.js'
import { createOpaqueToken, readOpaqueToken } from '../identity/opaque-token.js'
import { recordAcceptance } from '../invitations/acceptance.js'
import { passwordResetLetter } from '../mail/password-reset-letter.js'
import { lockOrganization } from '../organizations/queries.js'
import type { DefaultLimits } from '../usage/default-limits.js'
import { takeResetLetter } from '../usage/letters-today.js'
import * as queries from './queries.js'
import { reclaimOrganization } from './reclaim.js'

const minuteMs = 60 * 1000
const validForMs = 60 * minuteMs
/** Otherwise strangers could flood a mailbox, and end each link before it is used. */
const keptForMs = 10 * minuteMs

export const requestPasswordReset: Handler<'requestPasswordReset'> = async (request) => {
  await request.server.passwordResets.count({ email: request.body.email, ip: request.network })
  // Runs in the background, so that the response time does not reveal whether an account exists.
  sendResetLink(request, request.body.email).catch((err: unknown) =>
    request.log.error({ err }, 'reset link not sent'),
  )
}

async function sendResetLink(
  request: Pick<FastifyRequest, 'id' | 'caller' | 'db' | 'server' | 'log'>,
  email: string,
): Promise<void> {
  const { db } = request
  const { config, mail, usage } = request.server
  const person = await queries.selectPerson(db, email)
  if (!person || !mail.isConfigured) return

  const { organization_id, user_id } = person
  const obstacle = await obstacleTo(db, usage.defaults, person)
  if (obstacle) {
    request.log.warn({ organization_id }, `reset link not sent: ${obstacle}`)
    return
  }
  const token = createOpaqueToken(organization_id)
  const expires_at = new Date(Date.now() + validForMs).toISOString()
  const isRecorded = await takeRecord(request, 'password_reset_requested', person)
  const isNew = await db.transaction().execute(async (trx) => {
    const link = { user_id, expires_at }
    if (!(await insertLink(trx, 'password_resets', link, token, replacedUntil()))) return false
    const event = { organization_id, category: 'auth', event_type: 'password_reset_requested' }
    const events = isRecorded ? [{ ...event, status: 'info', metadata: { user_id } }] : []
    await recordAuditEvents(trx, request, events)
    return true
  })
  // Another request has stored a link at the same moment.
  if (!isNew) return
  const url = addressOfLink(config.appUrl, 'reset-password', token.text)
  if (await mail.send(letterTo(person, url), organization_id, request.log)) return
  // The letter was not sent. While its link works, no other letter is sent.
  await db.transaction().execute((trx) => endLink(trx, 'password_resets', person))
}

/** When a link expires that is just old enough to be replaced. */
const replacedUntil = () => new Date(Date.now() + validForMs - keptForMs).toISOString()

/** Counts the letter. Returns why it may not be sent; null if it may. */
async function obstacleTo(
  db: Db,
  defaults: DefaultLimits,
  person: queries.Person,
): Promise<string | null> {
  if (!person.is_verified && !person.is_registrant) return 'the organization is not verified'
  if (await queries.hasLinkAfter(db, person, replacedUntil()))
    return 'a link is younger than ten minutes'
  return (await takeResetLetter(db, defaults, person)) ? null : 'no letters are left today'
}

/** A letter of an organization that is not verified has none of its words. */
function letterTo(person: queries.Person, url: string) {
  const { email: to, full_name, is_verified } = person
  return is_verified
    ? passwordResetLetter(person, { to, full_name, url })
    : passwordResetLetter(null, { to, url })
}

export const resetPassword: Handler<'resetPassword'> = async (request) => {
  const { authenticator, passwords } = request.server
  const token = readOpaqueToken(request.body.token)
  if (!token) throw linkRefused('unknown')
  const password = newPasswordOf(request.body)
  // Only a link that works is worth the expensive hash.
  await requireLink(request.db, 'password_resets', token)
  const password_hash = await passwords.hash(password, request.turnKey)

  await authenticator.transaction(request.db, async (trx) => {
    // First, as a change of a role does. Another order could deadlock.
    await lockOrganization(trx, token.organization_id)
    const owner = await requireLink(trx, 'password_resets', token)
    const { organization_id, user_id: actor_id } = owner
    // Locks the invitation first, as a resend does. Another order could deadlock.
    await recordAcceptance(trx, request, owner)
    await useLink(trx, 'password_resets', owner, token)
    await setPassword(trx, { ...owner, password_hash })
    await recordVerified(trx, request, owner)
    await endSessions(trx, owner)
    await recordAuditEvents(trx, request, [
      { organization_id, category: 'auth', event_type: 'password_reset', actor_id },
    ])
    await reclaimOrganization(trx, request, owner)
  })
}
