import type { Insertable, Kysely, Selectable, Transaction, UpdateObject } from 'kysely'
import { sql } from 'kysely'
import { laterThan } from '../database/expressions.js'
import type { FrozenScenario } from '../database/frozen-scenario.js'
import type { Database } from '../database/schema.js'
import { inScope, type Scope } from '../database/scope.js'

type Db = Kysely<Database>
type Trx = Transaction<Database>
type Table = Database['simulation_sessions']

/** All of a session but its scenario, which is long and seldom wanted. */
export const sessionColumns = [
  ...(['organization_id', '_id', 'name', 'scenario_name', 'timing', 'speed', 'mode'] as const),
  ...(['status', 'starts_at', 'ends_after_minutes', 'rater_ids', 'metadata'] as const),
  ...(['started_at', 'experiment_id', 'arm', 'cast_ids', 'conversations', 'warnings'] as const),
  ...(['planned', 'end_offset_ms', 'anchor_at', 'paused_at', 'ended_at', 'next_due_at'] as const),
  ...(['next_offset_ms', 'next_position', 'withheld', 'last_seq', 'deviations'] as const),
  ...(['failures', 'failure', 'created_by', 'created_at', 'updated_at'] as const),
]

export type StoredSession = Pick<Selectable<Table>, (typeof sessionColumns)[number]>
/** A session that nobody else changes until the transaction ends, at a time of the database. */
export type LockedSession = StoredSession & { now: string }
export type SessionKey = Pick<StoredSession, 'organization_id' | '_id'>

/** By what the rows are found that belong to a session. */
export interface OfSession {
  organization_id: string
  session_id: string
}

export function insertSession(trx: Trx, values: Insertable<Table>): Promise<StoredSession> {
  return trx
    .insertInto('simulation_sessions')
    .values(values)
    .returning(sessionColumns)
    .executeTakeFirstOrThrow()
}

/** A session, as far as the scope lets it be found, and the time on the database's clock. */
export function selectSession(db: Db, scope: Scope, session_id: string) {
  return inScope(db.selectFrom('simulation_sessions'), 'simulation_sessions', scope)
    .select(sessionColumns)
    .select(clock)
    .where('_id', '=', session_id)
    .executeTakeFirst()
}

/** Unlike the transaction's own time, taken after the wait for a row that somebody was changing. */
export const clock = sql<string>`clock_timestamp()::timestamptz(3)`.as('now')

/** A session to be changed. Whoever only refers to it need not wait. */
export function selectSessionForUpdate(
  trx: Trx,
  { organization_id, _id }: SessionKey,
): Promise<LockedSession | undefined> {
  return trx
    .selectFrom('simulation_sessions')
    .select(sessionColumns)
    .select(clock)
    .where('organization_id', '=', organization_id)
    .where('_id', '=', _id)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

/** What a session kept of its scenario when it started. */
export async function selectFrozenScenario(
  db: Db,
  { organization_id, _id }: SessionKey,
): Promise<FrozenScenario | null> {
  const row = await db
    .selectFrom('simulation_sessions')
    .select('scenario')
    .where('organization_id', '=', organization_id)
    .where('_id', '=', _id)
    .executeTakeFirst()
  return row?.scenario ?? null
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

export async function deleteSession(trx: Trx, { organization_id, _id }: SessionKey): Promise<void> {
  await trx
    .deleteFrom('simulation_sessions')
    .where('organization_id', '=', organization_id)
    .where('_id', '=', _id)
    .execute()
}

export type SessionChange = UpdateObject<Database, 'simulation_sessions'>

/** Changes a session by what people decide, which gives it another `updated_at`. */
export function updateSession(
  trx: Trx,
  session: StoredSession,
  change: SessionChange,
): Promise<StoredSession> {
  return updateQuery(trx, session, { ...change, updated_at: laterThan(session.updated_at) })
    .returning(sessionColumns)
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
