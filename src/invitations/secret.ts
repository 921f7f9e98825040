import type { FastifyRequest } from 'fastify'
import type { Role } from '../contract.js'
import { createId } from '../formats/identifiers.js'
import type { AccessTransaction } from '../identity/access-changes.js'
import { tryCount } from '../identity/attempts/attempts.js'
import { callerOf } from '../identity/caller.js'
import { removePassword, setPassword } from '../identity/credentials.js'
import { addressOfLink } from '../identity/links/address.js'
import { rememberLink } from '../identity/links/ended-links.js'
import { createOpaqueToken, type OpaqueToken } from '../identity/opaque-token.js'
import { createTemporaryPassword } from '../identity/password.js'
import { invitationLetter } from '../mail/invitation-letter.js'
import { isVerified } from '../organizations/queries.js'
import { mayGrant } from './member.js'
import * as queries from './queries.js'

/** How an invited person gets access: by the link in a mail, or by a password that a colleague passes on. */
export type Secret =
  | { kind: 'link'; token: OpaqueToken }
  | { kind: 'password'; password: string; password_hash: string }

export interface Invitee {
  organization_id: string
  user_id: string
  email: string
  full_name: string | null
}

type Context = Pick<FastifyRequest, 'db' | 'server'>

const validForMs = 7 * 24 * 60 * 60 * 1000

/** Whether invitations go by mail: not without a mail server, nor before an admin is verified. */
export const sendsLetters = async ({ db, server }: Context, organization_id: string) =>
  server.mail.isConfigured && (await isVerified(db, organization_id))

export async function createSecret(
  context: Context,
  organization_id: string,
  mayMail = true,
): Promise<Secret> {
  const { passwords } = context.server
  if (mayMail && (await sendsLetters(context, organization_id))) {
    return { kind: 'link', token: createOpaqueToken(organization_id) }
  }
  const password = createTemporaryPassword()
  const password_hash = await passwords.hash(password, organization_id)
  return { kind: 'password', password, password_hash }
}

/** Makes a secret the only valid one, for seven days. `former` is the token hash of the previous link. */
export async function storeSecret(
  trx: AccessTransaction,
  { organization_id, user_id }: Invitee,
  secret: Secret,
  former: string | null = null,
): Promise<void> {
  const owner = { organization_id, user_id }
  const columns = columnsOf(secret)
  await queries.updateInvitation(trx, owner, columns)
  if (former) await rememberLink(trx, owner, former, 'replaced')
  if (secret.kind === 'link') await removePassword(trx, owner)
  else await setTemporaryPassword(trx, owner, { ...secret, ...columns })
}

/** The columns of an invitation whose only valid secret is this one, for seven days. */
const columnsOf = (secret: Secret) => ({
  token_hash: secret.kind === 'link' ? secret.token.hash : null,
  expires_at: new Date(Date.now() + validForMs).toISOString(),
  email_sent: false,
})

const setTemporaryPassword = (
  trx: AccessTransaction,
  { organization_id, user_id }: Owner,
  { password_hash, expires_at }: { password_hash: string; expires_at: string },
) => setPassword(trx, { organization_id, user_id, password_hash, is_temporary: true, expires_at })

type Owner = Pick<Invitee, 'organization_id' | 'user_id'>
type NewInvitation = Invitee & { role: Role; invited_by: string }

/** Stores the invitation of a new member, with a secret. */
export async function storeInvitation(
  trx: AccessTransaction,
  invitation: NewInvitation,
  secret: Secret,
): Promise<void> {
  const columns = columnsOf(secret)
  await queries.insertInvitation(trx, { ...invitation, ...columns, _id: createId() })
  if (secret.kind === 'password') {
    await setTemporaryPassword(trx, invitation, { ...secret, ...columns })
  }
}

export interface Delivery {
  email_sent: boolean
  temporary_password: string | null
}

export const undelivered: Delivery = { email_sent: false, temporary_password: null }

/**
 * Delivers a stored secret after the commit. If the mail server does not accept the letter within 5 s,
 * or the letter would exceed a limit, a temporary password replaces the link.
 */
export async function deliverSecret(
  request: Context & Pick<FastifyRequest, 'log' | 'caller'>,
  invitee: Invitee,
  secret: Secret,
): Promise<Delivery> {
  if (secret.kind === 'password') return { ...undelivered, temporary_password: secret.password }
  const { db, server, log } = request
  const { organization_id, email: to, full_name } = invitee
  const sender = await queries.selectSender(db, organization_id)
  const url = addressOfLink(server.config.appUrl, 'accept-invitation', secret.token.text)
  const letter = invitationLetter(sender, { to, full_name, url })
  const attempt = { email: to, ip: organization_id }
  const isSent =
    (await tryCount(server.invitationLetters, attempt)) &&
    (await server.mail.send(letter, organization_id, log))
  if (!isSent) return replaceLink(request, invitee, secret.token)
  await queries.updateEmailSent(db, secret.token)
  return { email_sent: true, temporary_password: null }
}

async function replaceLink(
  { db, server, caller }: Context & Pick<FastifyRequest, 'caller'>,
  invitee: Invitee,
  { hash }: OpaqueToken,
): Promise<Delivery> {
  const secret = await createSecret({ db, server }, invitee.organization_id, false)
  return server.authenticator.transaction(db, async (trx) => {
    const { organization_id, user_id } = invitee
    const now = await queries.selectInvitationForUpdate(trx, organization_id, user_id)
    // The letter may have arrived anyway, and its link may have been used.
    if (now?.status === 'accepted') return { email_sent: true, temporary_password: null }
    // A resend may have created a newer secret in the meantime, which must stay the only one.
    const isLatest = now?.status === 'pending' && now.token_hash === hash
    if (!isLatest || secret.kind !== 'password') return undelivered
    // The person may have got a higher role since, which the caller must not get with the password.
    if (!mayGrant(callerOf({ caller }).role, now.role)) return undelivered
    await storeSecret(trx, invitee, secret, hash)
    return { ...undelivered, temporary_password: secret.password }
  })
}
