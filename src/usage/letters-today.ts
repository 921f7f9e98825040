import type { Kysely } from 'kysely'
import type { Database } from '../database/schema.js'
import { quotaExceeded } from '../errors.js'
import { type AttemptKey, selectAttempts, takeAttempt } from '../identity/attempt-queries.js'
import { selectAllowed } from './limit-queries.js'
import { requireWithin } from './room.js'

const name = 'letters_per_day'

/** Each kind has the whole limit for itself. So invitations leave room for password resets. */
type Kind = 'invitation_letters_of_day' | 'reset_letters_of_day'

/** The largest count that the column `taken` holds. */
const largest = 2 ** 31 - 1

/**
 * Counts one more letter of invitation of an organization, in all processes together, or throws 409.
 * In a transaction, call it last: it locks the count until the end. A rollback undoes it.
 */
export async function takeLetter(db: Kysely<Database>, organization_id: string): Promise<void> {
  const { [name]: allowed } = await selectAllowed(db, organization_id)
  if (await take(db, keyOf(organization_id, 'invitation_letters_of_day'), allowed)) return
  throw quotaExceeded(name, await countLetters(db, organization_id), allowed)
}

/**
 * Counts a letter with a reset link, and returns whether it may be sent. The first one of a day to a
 * user is always sent and does not count: else a stranger who asks for links could use up the limit
 * and keep all users of the organization from resetting their passwords.
 */
export async function takeResetLetter(
  db: Kysely<Database>,
  { organization_id, user_id }: { organization_id: string; user_id: string },
): Promise<boolean> {
  const first = { kind: 'first_reset_letter_of_day', email: user_id, ip: organization_id }
  if (await take(db, first, 1)) return true
  const { [name]: allowed } = await selectAllowed(db, organization_id)
  return take(db, keyOf(organization_id, 'reset_letters_of_day'), allowed)
}

/** Counts one more until midnight UTC, and returns whether it is within what is allowed. */
async function take(db: Kysely<Database>, key: AttemptKey, allowed: number): Promise<boolean> {
  // The statement always takes the first one.
  if (allowed === 0) return false
  const now = new Date()
  const expires_at = nextMidnight(now).toISOString()
  const most = Math.min(allowed, largest)
  const taken = await takeAttempt(db, { ...key, now: now.toISOString(), expires_at, most })
  return taken.length > 0
}

/** Throws 409 if an organization may not send this number of invitations today. Counts nothing. */
export async function requireLetters(
  db: Kysely<Database>,
  organization_id: string,
  adding: number,
): Promise<void> {
  const used = await countLetters(db, organization_id)
  await requireWithin(db, organization_id, name, { used, adding })
}

/** How many letters of invitation an organization has sent since midnight UTC. */
export async function countLetters(db: Kysely<Database>, organization_id: string): Promise<number> {
  const [count] = await selectAttempts(db, keyOf(organization_id, 'invitation_letters_of_day'))
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
