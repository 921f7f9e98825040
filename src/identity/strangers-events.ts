import type { FastifyRequest } from 'fastify'
import { takeAttempt } from './attempt-queries.js'

/** How many events of one type are recorded in 15 minutes, however many addresses cause them. */
const most = { account: 20, organization: 500 }
const seconds = 15 * 60

interface Account {
  organization_id: string
  user_id: string
}

/**
 * Whether an event of an account that a stranger causes is to be recorded. After the most events it is
 * not, so that strangers cannot use up the events an organization may record in a day. While rate
 * limits are off, every event is recorded.
 */
export async function takeRecord(
  { db, server }: Pick<FastifyRequest, 'db' | 'server'>,
  kind: string,
  { organization_id, user_id }: Account,
): Promise<boolean> {
  if (!server.config.rateLimit) return true
  const now = Date.now()
  const place = {
    ...{ kind, ip: organization_id, now: new Date(now).toISOString() },
    expires_at: new Date(now + seconds * 1000).toISOString(),
  }
  // First the account: the events of one account that are not recorded take none of the others.
  const own = await takeAttempt(db, { ...place, email: user_id, most: most.account })
  if (own.length === 0) return false
  const all = await takeAttempt(db, { ...place, email: organization_id, most: most.organization })
  return all.length > 0
}
