import type { FastifyRequest } from 'fastify'
import { recordAuditEvents } from '../audit-events/record.js'

/** Off the request's path, so that a known e-mail address does not show in the time it takes. */
export function recordFailedLogin(
  { server, id, log }: Pick<FastifyRequest, 'server' | 'id' | 'log'>,
  { organization_id, _id: user_id }: { organization_id: string; _id: string },
): void {
  const event = { organization_id, category: 'auth', event_type: 'login_failed' }
  server.db
    .transaction()
    .execute((trx) =>
      recordAuditEvents(trx, { id, caller: null }, [
        { ...event, status: 'failure', metadata: { user_id } },
      ]),
    )
    .catch((err: unknown) => log.error({ err }, 'failed login not recorded'))
}
