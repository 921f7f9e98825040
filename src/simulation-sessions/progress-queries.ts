import { sql } from 'kysely'
import type { Trx } from '../database/schema.js'
import { type ParametersOf, prepare } from '../database/statements.js'
import {
  type LockedSession,
  latestOf,
  type OfSession,
  type SessionChange,
  type SessionKey,
  updateQuery,
} from './queries.js'

interface Posted extends SessionKey {
  last_seq: number
  stored_bytes: number
  latest_at: string
}

/** Stores the number of the last message of a session, its bytes, and when it was posted. */
export const updateLastSeq = prepare(
  'update_last_seq',
  (db, { organization_id, _id, ...posted }: ParametersOf<Posted>) =>
    db
      .updateTable('simulation_sessions')
      .set(posted)
      .where('organization_id', '=', organization_id)
      .where('_id', '=', _id),
)

/** Stores a change that no person made by editing: `updated_at` stays. */
export async function updateProgress(
  trx: Trx,
  session: LockedSession,
  change: SessionChange,
): Promise<void> {
  await updateQuery(trx, session, { latest_at: latestOf(session), ...change }).execute()
}

/** Counts bytes that a session stores besides its plan; negative for what was deleted. */
export async function addStoredBytes(
  trx: Trx,
  { organization_id, session_id: _id }: OfSession,
  adding: number,
): Promise<void> {
  const stored_bytes = sql<number>`stored_bytes + ${adding}`
  await updateQuery(trx, { organization_id, _id }, { stored_bytes }).execute()
}

/**
 * Counts a change of the team in a locked session. Event streams watch this number. `updated_at` stays:
 * joining and leaving change nothing that a trainer edits.
 */
export async function countTeamChange(
  trx: Trx,
  { organization_id, _id }: SessionKey,
): Promise<number> {
  const { team_seq } = await trx
    .updateTable('simulation_sessions')
    .set((eb) => ({ team_seq: eb('team_seq', '+', 1) }))
    .where('organization_id', '=', organization_id)
    .where('_id', '=', _id)
    .returning('team_seq')
    .executeTakeFirstOrThrow()
  return team_seq
}
