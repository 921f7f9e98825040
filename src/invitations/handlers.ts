import { recordAuditEvents } from '../audit-events/record.js'
import { createTemporaryPassword } from '../auth/password.js'
import type { Handler } from '../contract.js'
import { insufficientRole } from '../errors.js'
import { callerOf } from '../security.js'
import { insertCredential, insertEmail, insertUsers } from '../users/queries.js'
import { grantersOf, mayGrant } from './access-level.js'
import { memberFromInvitation } from './member.js'
import * as queries from './queries.js'

const validForMs = 7 * 24 * 60 * 60 * 1000

export const inviteMember: Handler<'inviteMember'> = async (request, reply) => {
  const { db, passwords } = request.server
  const { organization_id } = request.params
  const member = memberFromInvitation(organization_id, request.body)
  const { _id, role } = member
  if (!mayGrant(callerOf(request).role, role)) throw insufficientRole(grantersOf(role))

  const temporary_password = member.is_bot ? null : createTemporaryPassword()
  const password_hash = temporary_password && (await passwords.hash(temporary_password))
  const answer = await db.transaction().execute(async (trx) => {
    await insertEmail(trx, member)
    const [user] = await insertUsers(trx, [member])
    if (!user) throw new Error('An inserted user was not returned')
    if (password_hash) {
      const expires_at = new Date(Date.now() + validForMs).toISOString()
      const credential = { organization_id, user_id: _id, password_hash, expires_at }
      await insertCredential(trx, { ...credential, is_temporary: true })
    }
    await recordAuditEvents(trx, request, [
      {
        organization_id,
        category: 'invitation',
        event_type: 'member_invited',
        metadata: { user_id: _id, role },
      },
    ])
    return { user, organization_name: await queries.selectOrganizationName(trx, organization_id) }
  })
  reply.header('cache-control', 'no-store')
  return { ...answer, email_sent: false, temporary_password }
}
