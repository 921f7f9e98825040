import type { Kysely, Transaction } from 'kysely'
import { sql } from 'kysely'
import type { Database } from '../database/schema.js'

type Db = Kysely<Database>

const isOneOf = (column: string, ids: readonly string[]) =>
  sql<boolean>`${sql.ref(column)} = any(${ids}::uuid[])`

/** How sessions stand that are in an experiment, and those that have run in it. */
export function selectStandings(
  db: Db,
  { organization_id, _id }: { organization_id: string; _id: string },
  ids: readonly string[],
) {
  return db
    .selectFrom('simulation_sessions')
    .select(['_id', 'status', 'started_at', 'experiment_id', 'arm', 'deviations'])
    .where('organization_id', '=', organization_id)
    .where((eb) => eb.or([isOneOf('_id', ids), eb('experiment_id', '=', _id)]))
    .orderBy('_id')
    .execute()
}

export type Standing = Awaited<ReturnType<typeof selectStandings>>[number]

/**
 * The sessions of an experiment, and those that have run in it. Nobody starts one until the
 * transaction ends.
 */
export function selectScenariosForShare(
  trx: Transaction<Database>,
  { organization_id, _id }: { organization_id: string; _id: string },
  ids: readonly string[],
) {
  return trx
    .selectFrom('simulation_sessions')
    .select(['_id', 'scenario_name', 'started_at'])
    .where('organization_id', '=', organization_id)
    .where((eb) => eb.or([isOneOf('_id', ids), eb('experiment_id', '=', _id)]))
    .orderBy('_id')
    .forShare()
    .execute()
}

/** How many messages sessions have. */
export function selectLengths(db: Db, organization_id: string, ids: readonly string[]) {
  return db
    .selectFrom('simulation_sessions')
    .select(['_id', 'last_seq'])
    .where('organization_id', '=', organization_id)
    .where(isOneOf('_id', ids))
    .orderBy('_id')
    .execute()
}

/** What sessions kept of their scenarios when they started. */
export function selectFrozen(db: Db, organization_id: string, ids: readonly string[]) {
  return db
    .selectFrom('simulation_sessions')
    .select(['_id', 'scenario', 'conversations'])
    .where('organization_id', '=', organization_id)
    .where(isOneOf('_id', ids))
    .orderBy('_id')
    .execute()
}

/** What was posted in sessions, in order, but not what it says, nor what it asks. */
export function selectMessages(db: Db, organization_id: string, ids: readonly string[]) {
  return db
    .selectFrom('session_messages')
    .select(['session_id', '_id', 'conversation_id', 'thread_id', 'sender_id', 'sender_kind'])
    .select(['kind', 'beat', 'offset_ms', 'injected'])
    .select(sql<number | null>`(expectation ->> 'deadline_minutes')::float8`.as('deadline_minutes'))
    .where('organization_id', '=', organization_id)
    .where(isOneOf('session_id', ids))
    .orderBy('session_id')
    .orderBy('seq')
    .execute()
}

/** Who took part in sessions, also those who have left. */
export function selectJoined(db: Db, organization_id: string, ids: readonly string[]) {
  return db
    .selectFrom('session_assignments')
    .select(['session_id', 'user_id'])
    .where('organization_id', '=', organization_id)
    .where(isOneOf('session_id', ids))
    .where('joined_at', 'is not', null)
    .orderBy('_id')
    .execute()
}

/** Ratings that are numbers; words are no outcome. */
export function selectRatings(db: Db, organization_id: string, ids: readonly string[]) {
  return db
    .selectFrom('session_ratings')
    .select(['session_id', 'rater_id', 'subject', 'criterion', 'value'])
    .where('organization_id', '=', organization_id)
    .where(isOneOf('session_id', ids))
    .where(sql<boolean>`jsonb_typeof(value) <> 'string'`)
    .orderBy('session_id')
    .orderBy('rater_id')
    .orderBy('subject')
    .orderBy('criterion')
    .execute()
}
