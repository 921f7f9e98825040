import type { Kysely } from 'kysely'
import type { Database } from '../database/schema.js'
import { quotaExceeded } from '../errors.js'
import { selectAttempts, takeAttempt } from '../identity/attempt-queries.js'
import { selectAllowed } from './limit-queries.js'
import { requireWithin } from './room.js'

const name = 'letters_per_day'

/** Each kind has the whole limit for itself. So invitations leave room for password resets. */
type Kind = 'invitation_letters' | 'password_reset_letters'

/** The largest count that the column `taken` holds. */
const largest = 2 ** 31 - 1

/**
 * Counts one more letter of an organization, in all processes together, or throws 409. In a
 * transaction, call it last: it locks the count until the end. A rollback undoes it.
 */
export async function takeLetter(
  db: Kysely<Database>,
  organization_id: string,
  kind: Kind,
): Promise<void> {
  const { [name]: allowed } = await selectAllowed(db, organization_id)
  const now = new Date()
  const attempt = {
    ...keyOf(organization_id, kind),
    now: now.toISOString(),
    expires_at: nextMidnight(now).toISOString(),
    most: Math.min(allowed, largest),
  }
  // The statement always takes the first one.
  const taken = allowed > 0 ? await takeAttempt(db, attempt) : []
  if (taken.length > 0) return
  throw quotaExceeded(name, await countLetters(db, organization_id, kind), allowed)
}

/** Throws 409 if an organization may not send so many more invitations today. Counts nothing. */
export async function requireLetters(
  db: Kysely<Database>,
  organization_id: string,
  adding: number,
): Promise<void> {
  const used = await countLetters(db, organization_id, 'invitation_letters')
  await requireWithin(db, organization_id, name, { used, adding })
}

/** How many letters of a kind an organization has sent since midnight UTC. */
export async function countLetters(
  db: Kysely<Database>,
  organization_id: string,
  kind: Kind,
): Promise<number> {
  const [count] = await selectAttempts(db, keyOf(organization_id, kind))
  return count && Date.parse(count.expires_at) > Date.now() ? count.taken : 0
}

/** A cluster distributes the counts by `email`. */
const keyOf = (organization_id: string, kind: Kind) => ({
  kind,
  email: organization_id,
  ip: organization_id,
})

function nextMidnight(now: Date): Date {
  const midnight = new Date(now)
  midnight.setUTCHours(24, 0, 0, 0)
  return midnight
}
