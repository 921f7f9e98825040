import type { Db } from '../database/schema.js'
import { quotaExceeded } from '../errors.js'
import {
  type AttemptKey,
  selectAttempts,
  takeAttempt,
} from '../identity/attempts/attempt-queries.js'
import type { DefaultLimits } from './default-limits.js'
import { selectAllowed } from './limit-queries.js'
import { requireCountWithinLimit } from './require-limits.js'

const name = 'letters_per_day'

/** Each kind has the whole limit for itself, so that invitations cannot use up password resets. */
type LetterKind = 'invitation_letters_of_day' | 'reset_letters_of_day'

/** The largest value of the column `taken`. */
const maxCount = 2 ** 31 - 1

/**
 * Counts one more letter of invitation of an organization, over all processes, or throws 409. Call it
 * last in a transaction, because it locks the count until the end. A rollback undoes it.
 */
export async function takeLetter(
  db: Db,
  defaults: DefaultLimits,
  organization_id: string,
): Promise<void> {
  const { [name]: allowed } = await selectAllowed(db, defaults, organization_id)
  if (await take(db, keyOf(organization_id, 'invitation_letters_of_day'), allowed)) return
  throw quotaExceeded(name, await countLetters(db, organization_id), allowed)
}

/**
 * Counts a letter with a reset link, and returns whether it may be sent. The first one of a day to a
 * user is always sent and does not count. Otherwise anyone could use up the limit by requesting links,
 * and keep all users of the organization from resetting their passwords.
 */
export async function takeResetLetter(
  db: Db,
  defaults: DefaultLimits,
  { organization_id, user_id }: { organization_id: string; user_id: string },
): Promise<boolean> {
  const first = { kind: 'first_reset_letter_of_day', email: user_id, ip: organization_id }
  if (await take(db, first, 1)) return true
  const { [name]: allowed } = await selectAllowed(db, defaults, organization_id)
  return take(db, keyOf(organization_id, 'reset_letters_of_day'), allowed)
}

/** Counts one more letter of today (UTC), and returns whether it is within the limit. */
async function take(db: Db, key: AttemptKey, allowed: number): Promise<boolean> {
  // The statement always takes the first one.
  if (allowed === 0) return false
  const now = new Date()
  const expires_at = nextMidnight(now).toISOString()
  const limit = Math.min(allowed, maxCount)
  const taken = await takeAttempt(db, { ...key, now: now.toISOString(), expires_at, limit })
  return taken.length > 0
}

/** Throws 409 if an organization may not send this number of invitations today. Counts nothing. */
export async function requireLetters(
  db: Db,
  defaults: DefaultLimits,
  organization_id: string,
  adding: number,
): Promise<void> {
  const used = await countLetters(db, organization_id)
  await requireCountWithinLimit(db, defaults, organization_id, name, { used, adding })
}

/** How many letters of invitation an organization has sent since midnight UTC. */
export async function countLetters(db: Db, organization_id: string): Promise<number> {
  const [count] = await selectAttempts(db, keyOf(organization_id, 'invitation_letters_of_day'))
  return count && Date.parse(count.expires_at) > Date.now() ? count.taken : 0
}

/** `email` has the organization's id, because a cluster distributes the counts by `email`. */
const keyOf = (organization_id: string, kind: LetterKind) => ({
  kind,
  email: organization_id,
  ip: organization_id,
})

function nextMidnight(now: Date): Date {
  const midnight = new Date(now)
  midnight.setUTCHours(24, 0, 0, 0)
  return midnight
}
