import type { FastifyRequest } from 'fastify'
import { deleteAllApiKeys } from '../api-keys/queries.js'
import { recordAuditEvents } from '../audit-events/record.js'
import type { AccessTransaction } from '../identity/access-changes.js'
import { endSessions } from '../identity/login-sessions/login-session-queries.js'
import { invitationEvent } from '../invitations/open-invitations.js'
import { revokeOpenInvitations } from '../invitations/queries.js'
import { deleteUsers } from '../users/queries.js'
import { isUnverifiedRegistrant } from '../users/registrant-queries.js'
import { deactivateOthers } from '../users/update-queries.js'

interface Owner {
  organization_id: string
  user_id: string
}

/**
 * Leaves an organization that is not verified to its registrant: a stranger may have registered it with their
 * address, and prepared an access of their own.
 */
export async function reclaimOrganization(
  trx: AccessTransaction,
  request: Pick<FastifyRequest, 'id' | 'caller'>,
  owner: Owner,
): Promise<void> {
  if (!(await isUnverifiedRegistrant(trx, owner))) return
  const { organization_id, user_id: actor_id } = owner
  const revoked = await revokeOpenInvitations(trx, organization_id)
  const invited = revoked.map(({ user_id }) => user_id)
  await deleteUsers(trx, organization_id, invited)
  const deactivated = await deactivateOthers(trx, owner)
  for (const user_id of deactivated) await endSessions(trx, { organization_id, user_id })
  const keys = await deleteAllApiKeys(trx, organization_id)

  const changes = { is_active: { from: true, to: false } }
  const events = [
    ...revoked.map((invitation) => invitationEvent(invitation, 'invitation_revoked')),
    ...deactivated.map((user_id) => {
      const event = { organization_id, category: 'user', event_type: 'user_deactivated' }
      return { ...event, changes, metadata: { user_id } }
    }),
    ...keys.map((metadata) => {
      return { organization_id, category: 'security', event_type: 'api_key_revoked', metadata }
    }),
  ]
  await recordAuditEvents(
    trx,
    request,
    events.map((event) => ({ ...event, actor_id })),
  )
}
