import type { Kysely } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Role } from '../contract.js'
import type { Database } from '../database/schema.js'
import type { TokenSubject } from './tokens.js'

export interface Caller {
  user_id: string
  organization_id: string
  role: Role
}

/**
 * The present role of whoever holds a token, and whether they are active. Remembered for less than
 * 5 s, so that a change takes effect in every process by then without a query per request.
 */
export interface Callers {
  /** Null when the user is gone or inactive. */
  find(subject: TokenSubject): Promise<Caller | null> | Caller | null
  /** Forgets a user whom this process changes, so that here the change takes effect at once. */
  forget(user_id: string): void
}

export function createCallers(db: Kysely<Database>): Callers {
  const remembered = new LRUCache<string, { caller: Caller | null }, TokenSubject>({
    max: 10_000,
    ttl: 4_500,
    // Whoever is forgotten while being looked up is still found, only not remembered.
    ignoreFetchAbort: true,
    fetchMethod: async (_user_id, _stale, { context }) => ({
      caller: await selectCaller(db, context),
    }),
  })

  return {
    find(subject) {
      const known = remembered.get(subject.sub)
      if (known) return known.caller
      return remembered.forceFetch(subject.sub, { context: subject }).then(({ caller }) => caller)
    },
    forget: (user_id) => {
      remembered.delete(user_id)
    },
  }
}

async function selectCaller(db: Kysely<Database>, { sub, org }: TokenSubject) {
  const caller = await db
    .selectFrom('users')
    .select(['_id as user_id', 'organization_id', 'role'])
    .where('organization_id', '=', org)
    .where('_id', '=', sub)
    .where('is_active', '=', true)
    .executeTakeFirst()
  return caller ?? null
}
