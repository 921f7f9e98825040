import type { Insertable, Kysely, Selectable, Transaction, UpdateObject } from 'kysely'
import { sql } from 'kysely'
import { laterThan } from '../database/expressions.js'
import type { Database } from '../database/schema.js'
import { inScope, type Scope } from '../database/scope.js'

type Db = Kysely<Database>
type Trx = Transaction<Database>
type Table = Database['simulation_sessions']

export type StoredSession = Selectable<Table>
/** A session that nobody else changes until the transaction ends, and the time on the database's clock. */
export type LockedSession = StoredSession & { now: string }
export type SessionKey = Pick<StoredSession, 'organization_id' | '_id'>

export function insertSession(trx: Trx, values: Insertable<Table>): Promise<StoredSession> {
  return trx
    .insertInto('simulation_sessions')
    .values(values)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** A session, as far as the scope lets it be found, and the time on the database's clock. */
export function selectSession(db: Db, scope: Scope, session_id: string) {
  return inScope(db.selectFrom('simulation_sessions'), 'simulation_sessions', scope)
    .selectAll()
    .select(clock)
    .where('_id', '=', session_id)
    .executeTakeFirst()
}

/** Not the transaction's own time: somebody may have changed the row while it was waited for. */
export const clock = sql<string>`clock_timestamp()::timestamptz(3)`.as('now')

/** A session to be changed. Whoever only refers to it need not wait. */
export function selectSessionForUpdate(
  trx: Trx,
  { organization_id, _id }: SessionKey,
): Promise<LockedSession | undefined> {
  return trx
    .selectFrom('simulation_sessions')
    .selectAll()
    .select(clock)
    .where('organization_id', '=', organization_id)
    .where('_id', '=', _id)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

/** Whose session it is, where somebody names one without its organization. */
export async function selectSessionOwner(db: Db, session_id: string): Promise<string | undefined> {
  const sessions = db.selectFrom('simulation_sessions')
  const row = await inScope(sessions, 'simulation_sessions', 'every organization')
    .select('organization_id')
    .where('_id', '=', session_id)
    .executeTakeFirst()
  return row?.organization_id
}

export type SessionChange = UpdateObject<Database, 'simulation_sessions'>

/** Changes a session by what people decide, which gives it another `updated_at`. */
export function updateSession(
  trx: Trx,
  session: StoredSession,
  change: SessionChange,
): Promise<StoredSession> {
  return updateQuery(trx, session, { ...change, updated_at: laterThan(session.updated_at) })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Keeps what becomes of a session by itself. */
export async function updateProgress(
  trx: Trx,
  session: SessionKey,
  change: SessionChange,
): Promise<void> {
  await updateQuery(trx, session, change).execute()
}

function updateQuery(trx: Trx, { organization_id, _id }: SessionKey, change: SessionChange) {
  return trx
    .updateTable('simulation_sessions')
    .set(change)
    .where('organization_id', '=', organization_id)
    .where('_id', '=', _id)
}
