import type { FastifyRequest } from 'fastify'
import type { Trx } from '../database/schema.js'
import { addressOfLink } from '../identity/links/address.js'
import { upsertLink } from '../identity/links/newest-links.js'
import { createOpaqueToken, type OpaqueToken } from '../identity/opaque-token.js'
import { verificationLetter } from '../mail/verification-letter.js'

const validForMs = 7 * 24 * 60 * 60 * 1000

/** Stores a new link with which a user can verify their e-mail address. An older one stops working. */
export async function storeLink(
  trx: Trx,
  { organization_id, user_id }: { organization_id: string; user_id: string },
): Promise<OpaqueToken> {
  const token = createOpaqueToken(organization_id)
  const expires_at = new Date(Date.now() + validForMs).toISOString()
  await upsertLink(trx, 'email_verifications', { user_id, expires_at }, token)
  return token
}

/** Mails a link. Returns whether the mail server accepted the letter. Never throws. */
export function mailLink(
  { log, server, turnKey }: Pick<FastifyRequest, 'log' | 'server' | 'turnKey'>,
  to: string,
  token: OpaqueToken,
): Promise<boolean> {
  const url = addressOfLink(server.config.appUrl, 'verify-email', token.text)
  return server.mail.send(verificationLetter({ to, url }), turnKey, log)
}
