import { LRUCache } from 'lru-cache'
import type { Role } from '../contract.js'
import { databaseFor } from '../database/connections/shared.js'
import type { Db } from '../database/schema.js'
import { type AccessTransaction, changeAccess } from './access-changes.js'
import * as queries from './authenticator-queries.js'
import type { TokenSubject } from './login-sessions/access-tokens.js'
import { type OpaqueToken, readOpaqueToken } from './opaque-token.js'
import type { Seat } from './seats.js'

export interface Caller {
  user_id: string
  organization_id: string
  role: Role
  /** Null for a bot with an API key. */
  session_id: string | null
  /** Null for a user with an access token. */
  api_key_id: string | null
  must_change_password: boolean
  /**
   * The place to which the token is bound; null for a login or an API key. Such a caller always has the
   * role `employee`.
   */
  seat: Seat | null
}

/**
 * Finds the caller of a token or an API key, with the current role. Returns null if the user is
 * inactive or logged out, or the key is revoked. It caches callers for less than 5 s, so that a change
 * takes effect in every process within 5 s, without a query per request.
 */
export interface Authenticator {
  ofSession(subject: TokenSubject): Promise<Caller | null> | Caller | null
  ofApiKey(text: string, ip: string): Promise<Caller | null> | Caller | null
  /** Whether an API key has worked in this process in the last hour. */
  hasWorked(text: string): boolean
  /** Runs a transaction. After its commit, it invalidates the users whose access has changed. */
  transaction<T>(db: Db, work: (trx: AccessTransaction) => Promise<T>): Promise<T>
  /** Removes a user from the cache, so that this process applies a change of access at once. */
  invalidate(user_id: string): void
}

const cachedForMs = 4_500
const workedForMs = 3_600_000

interface CacheEntry {
  user_id: string | null
  caller: Caller | null
  /** The number of changes before this entry was read. */
  readAfter: number
}

type Found = { caller: Caller; touch: (() => Promise<void>) | null } | null

/** Calls `onError` if it cannot store `last_seen`. No request waits for that. */
export function createAuthenticator(db: Db, onError: (error: unknown) => void): Authenticator {
  const cache = new LRUCache<string, CacheEntry>({ max: 10_000, ttl: cachedForMs })
  // The last change of each user, kept as long as the cache may hold an entry from before it.
  const changes = new LRUCache<string, number>({
    max: 10_000,
    ttl: cachedForMs,
    dispose(change, _user_id, reason) {
      if (reason === 'evict') lastChangeLost = change
    },
  })
  const worked = new LRUCache<string, true>({ max: 10_000, ttl: workedForMs })
  let lastChangeLost = 0
  let changesSoFar = 0

  async function lookUp(key: string, sub: string | null, find: () => Promise<Found>) {
    const start = performance.now()
    const readAfter = changesSoFar
    const found = await find()
    const caller = found?.caller ?? null
    cache.set(key, { user_id: caller?.user_id ?? sub, caller, readAfter }, { start })
    found?.touch?.().catch(onError)
    return caller
  }

  function cached(key: string, sub: string | null, find: () => Promise<Found>) {
    const known = cache.get(key)
    return known && isCurrent(known) ? known.caller : lookUp(key, sub, find)
  }

  function isCurrent({ user_id, readAfter }: CacheEntry): boolean {
    // The user of a refused key is not known, so any change may concern it.
    const lastChange = user_id === null ? changesSoFar : (changes.get(user_id) ?? lastChangeLost)
    return lastChange <= readAfter
  }

  function invalidate(user_id: string): void {
    changes.set(user_id, ++changesSoFar)
  }

  return {
    ofSession: (subject) => {
      const find = () => findBySession(databaseFor(db, subject.org), subject)
      return cached(keyOf(subject), subject.sub, find)
    },
    ofApiKey: (text, ip) => {
      const token = readApiKey(text)
      if (!token) return null
      return cached(token.hash, null, async () => {
        // Anyone can send a key, so the query waits in the queue of the caller's address.
        const found = await findByApiKey(databaseFor(db, ip), token)
        if (found) worked.set(token.hash, true)
        return found
      })
    },
    hasWorked: (text) => worked.has(readApiKey(text)?.hash ?? ''),
    transaction: (db, work) => changeAccess(db, work, invalidate),
    invalidate,
  }
}

const keyOf = ({ org, sub, sid }: TokenSubject) => `${org} ${sub} ${sid}`

/** The start of every API key, so that people and secret scanners recognize one. */
export const apiKeyPrefix = 'wss_'

const readApiKey = (text: string) =>
  text.startsWith(apiKeyPrefix) ? readOpaqueToken(text.slice(apiKeyPrefix.length)) : null

async function findBySession(db: Db, subject: TokenSubject): Promise<Found> {
  const row = await queries.selectSessionCaller(db, subject)
  if (!row) return null
  const { is_overdue, seat_session_id: session_id, assignment_id, ...caller } = row
  const seat = session_id && assignment_id ? { session_id, assignment_id } : null
  return {
    caller: { ...caller, api_key_id: null, seat },
    touch: is_overdue ? () => queries.updateLastSeen(db, caller) : null,
  }
}

async function findByApiKey(db: Db, token: OpaqueToken): Promise<Found> {
  const row = await queries.selectApiKeyCaller(db, token)
  if (!row) return null
  const { is_overdue, ...user } = row
  const touch = async () => {
    await queries.updateLastUsed(db, user)
    await queries.updateLastSeen(db, user)
  }
  const caller = { ...user, session_id: null, must_change_password: false, seat: null }
  return { caller, touch: is_overdue ? touch : null }
}
