import type { Kysely } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Role } from '../contract.js'
import type { Database } from '../database/schema.js'
import { databaseFor } from '../database/shared.js'
import { type AccessTransaction, changeAccess } from './access-changes.js'
import type { TokenSubject } from './access-tokens.js'
import * as queries from './authenticator-queries.js'
import { type OpaqueToken, readOpaqueToken } from './opaque-token.js'

export interface Caller {
  user_id: string
  organization_id: string
  role: Role
  /** Null for a bot with an API key, as that is for somebody with an access token. */
  session_id: string | null
  api_key_id: string | null
  must_change_password: boolean
}

/**
 * Who holds a token or a key now: their present role, or null when they are inactive, logged out or
 * revoked. Remembered for less than 5 s, so that a change takes effect in every process by then
 * without a query per request.
 */
export interface Authenticator {
  ofSession(subject: TokenSubject): Promise<Caller | null> | Caller | null
  ofApiKey(text: string, ip: string): Promise<Caller | null> | Caller | null
  /** Whether an API key has worked in this process in the last hour. */
  hasWorked(text: string): boolean
  /** Runs a transaction and forgets, after its commit, the users whose access it has changed. */
  transaction<T>(db: Kysely<Database>, work: (trx: AccessTransaction) => Promise<T>): Promise<T>
  /** Forgets a user, so that a change of their access takes effect in this process at once. */
  invalidate(user_id: string): void
}

const rememberedForMs = 4_500
const workedForMs = 3_600_000

interface Answer {
  user_id: string | null
  caller: Caller | null
  /** How many changes there had been when it was read. */
  readAfter: number
}

type Found = { caller: Caller; touch: (() => Promise<void>) | null } | null

/** `onError` hears of a last_seen that could not be kept; nobody waits for it. */
export function createAuthenticator(
  db: Kysely<Database>,
  onError: (error: unknown) => void,
): Authenticator {
  const remembered = new LRUCache<string, Answer>({ max: 10_000, ttl: rememberedForMs })
  // Of each user the last change there was, as long as anything from before it is remembered.
  const changes = new LRUCache<string, number>({
    max: 10_000,
    ttl: rememberedForMs,
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
    remembered.set(key, { user_id: caller?.user_id ?? sub, caller, readAfter }, { start })
    found?.touch?.().catch(onError)
    return caller
  }

  function remember(key: string, sub: string | null, find: () => Promise<Found>) {
    const known = remembered.get(key)
    return known && stillHolds(known) ? known.caller : lookUp(key, sub, find)
  }

  function stillHolds({ user_id, readAfter }: Answer): boolean {
    // Of a key that was refused nobody knows whose it is.
    const lastChange = user_id === null ? changesSoFar : (changes.get(user_id) ?? lastChangeLost)
    return lastChange <= readAfter
  }

  function invalidate(user_id: string): void {
    changes.set(user_id, ++changesSoFar)
  }

  return {
    ofSession: (subject) => {
      const find = () => findBySession(databaseFor(db, subject.org), subject)
      return remember(keyOf(subject), subject.sub, find)
    },
    ofApiKey: (text, ip) => {
      const token = readApiKey(text)
      if (!token) return null
      return remember(token.hash, null, async () => {
        // Anyone can send a key, so it is looked up in the turns of the address.
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

/** What an API key begins with, so that people and secret scanners recognize one. */
export const apiKeyPrefix = 'wss_'

const readApiKey = (text: string) =>
  text.startsWith(apiKeyPrefix) ? readOpaqueToken(text.slice(apiKeyPrefix.length)) : null

async function findBySession(db: Kysely<Database>, subject: TokenSubject): Promise<Found> {
  const row = await queries.selectSessionCaller(db, subject)
  if (!row) return null
  const { is_overdue, ...caller } = row
  return {
    caller: { ...caller, api_key_id: null },
    touch: is_overdue ? () => queries.updateLastSeen(db, caller) : null,
  }
}

async function findByApiKey(db: Kysely<Database>, token: OpaqueToken): Promise<Found> {
  const row = await queries.selectApiKeyCaller(db, token)
  if (!row) return null
  const { is_overdue, ...user } = row
  const touch = async () => {
    await queries.updateLastUsed(db, user)
    await queries.updateLastSeen(db, user)
  }
  const caller = { ...user, session_id: null, must_change_password: false }
  return { caller, touch: is_overdue ? touch : null }
}
