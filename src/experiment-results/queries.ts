import { sql } from 'kysely'
import type { Db, Trx } from '../database/schema.js'

const isOneOf = (column: string, ids: readonly string[]) =>
  sql<boolean>`${sql.ref(column)} = any(${ids}::uuid[])`

/** The sessions that are in the arms of an experiment or have run in it, with their state. */
export function selectAssignedSessions(
  db: Db,
  { organization_id, _id }: { organization_id: string; _id: string },
  ids: readonly string[],
) {
  return db
    .selectFrom('simulation_sessions')
    .select(['_id', 'scenario_name', 'status', 'started_at', 'experiment_id', 'arm', 'deviations'])
    .where('organization_id', '=', organization_id)
    .where((eb) => eb.or([isOneOf('_id', ids), eb('experiment_id', '=', _id)]))
    .orderBy('_id')
    .execute()
}

export type AssignedSession = Awaited<ReturnType<typeof selectAssignedSessions>>[number]

/**
 * The scenarios of the sessions that are in the arms of an experiment or have run in it. No session
 * can start until the transaction ends.
 */
export function selectScenariosForShare(
  trx: Trx,
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

/** The number of messages of each session. */
export function selectLengths(db: Db, organization_id: string, ids: readonly string[]) {
  return db
    .selectFrom('simulation_sessions')
    .select(['_id', 'last_seq'])
    .where('organization_id', '=', organization_id)
    .where(isOneOf('_id', ids))
    .orderBy('_id')
    .execute()
}

/** The scenario that each session froze when it started. */
export function selectFrozen(db: Db, organization_id: string, ids: readonly string[]) {
  return db
    .selectFrom('simulation_sessions')
    .select(['_id', 'scenario', 'conversations'])
    .where('organization_id', '=', organization_id)
    .where(isOneOf('_id', ids))
    .orderBy('_id')
    .execute()
}

/** The messages of sessions in order, without their texts. */
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

/** The decisions that sessions have asked for, in the order of asking. */
export function selectDecisions(db: Db, organization_id: string, ids: readonly string[]) {
  return db
    .selectFrom('session_decisions')
    .select(['session_id', 'beat', 'message_id', 'status', 'option'])
    .select(['asked_offset_ms', 'ended_offset_ms'])
    .where('organization_id', '=', organization_id)
    .where(isOneOf('session_id', ids))
    .orderBy('session_id')
    .orderBy('asked_offset_ms')
    .orderBy('beat')
    .execute()
}

/** The participants who joined a session, also those who left it again. */
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

/** Ratings that are numbers or yes and no. Texts are not an outcome. */
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
