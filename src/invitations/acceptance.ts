import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { recordAuditEvents } from '../audit-events/record.js'
import type { Trx } from '../database/schema.js'

/** Marks a person's invitation accepted, now that they have a password of their own. */
export async function recordAcceptance(
  trx: Trx,
  request: Pick<FastifyRequest, 'id' | 'caller'>,
  { organization_id, user_id }: { organization_id: string; user_id: string },
): Promise<void> {
  const accepted = await trx
    .updateTable('invitations')
    .set({ accepted_at: sql<string>`now()` })
    .where('organization_id', '=', organization_id)
    .where('user_id', '=', user_id)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .returning('_id as invitation_id')
    .executeTakeFirst()
  if (!accepted) return
  await recordAuditEvents(trx, request, [
    {
      organization_id,
      category: 'invitation',
      event_type: 'invitation_accepted',
      actor_id: user_id,
      metadata: { ...accepted, user_id },
    },
  ])
}
