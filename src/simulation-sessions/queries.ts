import type { Insertable, Selectable, UpdateObject } from 'kysely'
import { sql } from 'kysely'
import { laterThan } from '../database/expressions.js'
import type { Database, Db, Trx } from '../database/schema.js'
import { inScope, type Scope } from '../database/scope.js'
import { type ParametersOf, prepare } from '../database/statements.js'
import type { FrozenScenario } from '../database/tables/frozen-scenario.js'

type Table = Database['simulation_sessions']

/** All columns except `scenario`, which is long and seldom needed. */
export const sessionColumns = [
  'organization_id',
  '_id',
  'name',
  'scenario_name',
  'timing',
  'speed',
  'mode',
  'status',
  'starts_at',
  'ends_after_minutes',
  'rater_ids',
  'metadata',
  'started_at',
  'experiment_id',
  'arm',
  'cast_ids',
  'conversations',
  'warnings',
  'planned',
  'end_offset_ms',
  'anchor_at',
  'paused_at',
  'ended_at',
  'next_due_at',
  'next_offset_ms',
  'next_position',
  'posted',
  'withheld',
  'last_seq',
  'lapsed_beats',
  'team_seq',
  'trainer_seq',
  'plan_bytes',
  'stored_bytes',
  'deviations',
  'failures',
  'failure',
  'created_by',
  'created_at',
  'updated_at',
] as const

export type StoredSession = Pick<Selectable<Table>, (typeof sessionColumns)[number]>
/** A session, usually locked until the transaction ends, and the present time for it. */
export type LockedSession = StoredSession & { now: string }
export type SessionKey = Pick<StoredSession, 'organization_id' | '_id'>

/** The key columns of rows that belong to a session. */
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

/**
 * The present time for a session: later than its last change, even if the database's clock was set back.
 * Unlike `now()`, it is taken after the wait for a row lock.
 */
export const presentIn = (session: string) => sql<string>`greatest(
  clock_timestamp()::timestamptz(3), ${sql.ref(`${session}.latest_at`)} + interval '1 millisecond'
)`

export const clock = presentIn('simulation_sessions').as('now')

interface ScopedKey {
  /** Null for every organization. */
  organization_id: string | null
  _id: string
}

const selectInScope = prepare(
  'select_session',
  (db, { organization_id, _id }: ParametersOf<ScopedKey>) => {
    const scope = organization_id === null ? 'every organization' : { organization_id }
    return inScope(db.selectFrom('simulation_sessions'), 'simulation_sessions', scope)
      .select(sessionColumns)
      .select(clock)
      .where('_id', '=', _id)
  },
)

/** A session within the scope, and the present time for it. */
export async function selectSession(
  db: Db,
  scope: Scope,
  _id: string,
): Promise<LockedSession | undefined> {
  const organization_id = scope === 'every organization' ? null : scope.organization_id
  const [session] = await selectInScope(db, { organization_id, _id })
  return session
}

const selectForUpdate = prepare(
  'select_session_for_update',
  (db, { organization_id, _id }: ParametersOf<SessionKey>) =>
    db
      .selectFrom('simulation_sessions')
      .select(sessionColumns)
      .select(clock)
      .where('organization_id', '=', organization_id)
      .where('_id', '=', _id)
      .forNoKeyUpdate(),
)

/** Locks a session to change it. Rows that only refer to it can still be inserted. */
export async function selectSessionForUpdate(
  trx: Trx,
  { organization_id, _id }: SessionKey,
): Promise<LockedSession | undefined> {
  const [session] = await selectForUpdate(trx, { organization_id, _id })
  return session
}

/** The scenario of a session as it was at the start; null before that. */
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

export async function deleteSession(trx: Trx, { organization_id, _id }: SessionKey): Promise<void> {
  await trx
    .deleteFrom('simulation_sessions')
    .where('organization_id', '=', organization_id)
    .where('_id', '=', _id)
    .execute()
}

export type SessionChange = UpdateObject<Database, 'simulation_sessions'>

/** The time of a change. Null before the start: the time at which a session is prepared does not bind its clock. */
export const latestOf = ({ anchor_at, now }: LockedSession) => (anchor_at === null ? null : now)

/** Stores a change that people made, with a new `updated_at`. */
export function updateSession(
  trx: Trx,
  session: LockedSession,
  change: SessionChange,
): Promise<StoredSession> {
  const times = { latest_at: latestOf(session), updated_at: laterThan(session.updated_at) }
  return updateQuery(trx, session, { ...times, ...change })
    .returning(sessionColumns)
    .executeTakeFirstOrThrow()
}

export function updateQuery(trx: Trx, { organization_id, _id }: SessionKey, change: SessionChange) {
  return trx
    .updateTable('simulation_sessions')
    .set(change)
    .where('organization_id', '=', organization_id)
    .where('_id', '=', _id)
}
