import type { FastifyRequest } from 'fastify'
import { recordAuditEvents } from '../audit-events/record.js'
import { takeRecord } from '../identity/attempts/strangers-events.js'

/**
 * Records a failed login in the background, so that the response time does not reveal whether an account
 * exists.
 */
export function recordFailedLogin(
  request: Pick<FastifyRequest, 'db' | 'id' | 'log' | 'server'>,
  { organization_id, _id: user_id }: { organization_id: string; _id: string },
): void {
  const { db, id, log } = request
  const event = { organization_id, category: 'auth', event_type: 'login_failed' }
  async function record(): Promise<void> {
    if (!(await takeRecord(request, 'login_failed', { organization_id, user_id }))) return
    await db
      .transaction()
      .execute((trx) =>
        recordAuditEvents(trx, { id, caller: null }, [
          { ...event, status: 'failure', metadata: { user_id } },
        ]),
      )
  }
  record().catch((err: unknown) => log.error({ err }, 'failed login not recorded'))
}
