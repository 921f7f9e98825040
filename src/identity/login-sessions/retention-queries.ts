import { type SelectQueryBuilder, sql } from 'kysely'
import type { Database, Db } from '../../database/schema.js'
import { inScope } from '../../database/scope.js'

const aDayAgo = sql<string>`now() - interval '1 day'`

interface OldRow {
  organization_id: string
  /** What identifies it within its organization. */
  key: string
}

/** Rows of all organizations that are no longer needed. */
export interface OldRows {
  /** The oldest ones. */
  select(db: Db, limit: number): Promise<OldRow[]>
  /**
   * Deletes some rows of one organization, and returns how many. It passes over rows that another
   * transaction has locked: it waits for none, so two processes cannot deadlock. In two statements: just
   * after many inserts the planner expects one row, and compares each with each.
   */
  delete(db: Db, organization_id: string, keys: string[]): Promise<number>
}

/** Refresh tokens that were used more than a day ago. */
export const usedTokens: OldRows = {
  select: (db, limit) =>
    inScope(db.selectFrom('refresh_tokens'), 'refresh_tokens', 'every organization')
      .select(['organization_id', 'token_hash as key'])
      .where('used_at', '<', aDayAgo)
      .orderBy('used_at')
      .limit(sql.lit(limit))
      .execute(),
  delete: (db, organization_id, hashes) =>
    db.transaction().execute(async (trx) => {
      const isIn = (keys: string[]) => sql<boolean>`token_hash = any(${keys}::text[])`
      const own = trx.selectFrom('refresh_tokens').where('organization_id', '=', organization_id)
      const free = await unlocked(own.select('token_hash as key').where(isIn(hashes)))
      const { numDeletedRows } = await trx
        .deleteFrom('refresh_tokens')
        .where('organization_id', '=', organization_id)
        .where(isIn(free))
        .executeTakeFirst()
      return Number(numDeletedRows)
    }),
}

/** Login sessions that expired more than a day ago. Their refresh tokens go with them. */
export const expiredSessions: OldRows = {
  select: (db, limit) =>
    inScope(db.selectFrom('login_sessions'), 'login_sessions', 'every organization')
      .select(['organization_id', '_id as key'])
      .where('expires_at', '<', aDayAgo)
      .orderBy('expires_at')
      .limit(sql.lit(limit))
      .execute(),
  delete: (db, organization_id, ids) =>
    db.transaction().execute(async (trx) => {
      const isIn = (keys: string[]) => sql<boolean>`_id = any(${keys}::uuid[])`
      const own = trx.selectFrom('login_sessions').where('organization_id', '=', organization_id)
      const free = await unlocked(own.select('_id as key').where(isIn(ids)))
      const { numDeletedRows } = await trx
        .deleteFrom('login_sessions')
        .where('organization_id', '=', organization_id)
        .where(isIn(free))
        .executeTakeFirst()
      return Number(numDeletedRows)
    }),
}

/** Locks the rows that no other transaction has locked, and returns their keys. */
async function unlocked<Table extends keyof Database>(
  rows: SelectQueryBuilder<Database, Table, { key: string }>,
): Promise<string[]> {
  const found = await rows.forUpdate().skipLocked().execute()
  return found.map(({ key }) => key)
}
