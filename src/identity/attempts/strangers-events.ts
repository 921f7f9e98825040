import type { FastifyRequest } from 'fastify'
import { takeAttempt } from './attempt-queries.js'

/** The most events of one type in 15 minutes, from any number of addresses. */
const limits = { account: 20, organization: 500 }
const seconds = 15 * 60

interface Account {
  organization_id: string
  user_id: string
}

/**
 * Whether to record an event that an unauthenticated caller has caused. Above the limit it is not
 * recorded, so that strangers cannot use up the daily events of an organization. While rate limits
 * are off, every event is recorded.
 */
export async function takeRecord(
  { db, server }: Pick<FastifyRequest, 'db' | 'server'>,
  kind: string,
  { organization_id, user_id }: Account,
): Promise<boolean> {
  if (!server.config.rateLimit) return true
  const now = Date.now()
  const attempt = {
    kind,
    ip: organization_id,
    now: new Date(now).toISOString(),
    expires_at: new Date(now + seconds * 1000).toISOString(),
  }
  // The account comes first: its unrecorded events do not count for the organization.
  const own = await takeAttempt(db, { ...attempt, email: user_id, limit: limits.account })
  if (own.length === 0) return false
  const all = await takeAttempt(db, {
    ...attempt,
    email: organization_id,
    limit: limits.organization,
  })
  return all.length > 0
}
